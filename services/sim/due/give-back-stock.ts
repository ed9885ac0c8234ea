import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { giveBackStock as giveBackStockWork } from '../due-work.ts';
import { moveStockOf } from '../stock-movements.ts';

/** Repeated until the Inventory Service has it; the state of the hold makes it happen once there. What left before is no part of it. */
export const giveBackStock = handleDue(giveBackStockWork)(async ({ key }, { work, call }) => {
  await moveStockOf(key, { work, call });
  await call(moveHold, { params: { reservationId: key }, body: { reference: `release ${key}`, kind: 'release' } });
});
