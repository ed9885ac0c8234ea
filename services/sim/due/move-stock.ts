import { handleDue } from '../../../shared/work/handler.ts';
import { moveStockDue } from '../due-work.ts';
import { movePendingStock } from '../stock-movements.ts';

export const moveStock = handleDue(moveStockDue)(async ({ key }, { work, call }) => movePendingStock(key, { work, call }));
