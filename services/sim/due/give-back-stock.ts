import { moveHold } from '../../../shared/catalog/inventory/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { giveBackStockDue } from '../due-work.ts';
import { movePendingStock } from '../stock-movements.ts';

/**
 * Returns the stock. The work is repeated until the Inventory Service answers, which books the return once and without the units that have
 * left.
 */
export const giveBackStock = handleDue(giveBackStockDue)(async ({ key }, { work, call }) => {
  await movePendingStock(key, { work, call });
  await call(moveHold, { params: { reservationId: key }, body: { reference: `release ${key}`, kind: 'release' } });
});
