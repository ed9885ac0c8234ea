import { handleDue } from '../../../shared/work/handler.ts';
import { moveStock as moveStockWork } from '../due-work.ts';
import { moveStockOf } from '../stock-movements.ts';

/** Repeated until the Inventory Service has moved all that was recorded here. */
export const moveStock = handleDue(moveStockWork)(async ({ key }, { work, call }) => moveStockOf(key, { work, call }));
