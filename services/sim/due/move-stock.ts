import type { DueHandler } from '../../../shared/work/handler.ts';
import { moveStockOf } from '../stock-movements.ts';

/** Repeated until the Inventory Service has moved all that was recorded here. */
export const moveStock: DueHandler = async ({ key }, { work, call }) => moveStockOf(key, { work, call });
