import { getInventory as getInventoryApi } from '../../../shared/catalog/inventory/apis.ts';
import { getStock } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';

export const getInventory = handle(getInventoryApi)(({ params }, { call }) => call(getStock, { params }));
