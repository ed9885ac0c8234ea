import { handleDue } from '../../../shared/work/handler.ts';
import { moveStock as moveStockWork } from '../due-work.ts';
import { movePendingStock } from '../stock-movements.ts';

export const moveStock = handleDue(moveStockWork)(async ({ key }, { work, call }) => movePendingStock(key, { work, call }));
