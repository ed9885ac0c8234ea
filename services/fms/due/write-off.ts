import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentOrders } from '../collections.ts';
import { writeOffDue } from '../due-work.ts';
import { moveUnits } from '../stock-movements.ts';

export const writeOff = handleDue(writeOffDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found) await moveUnits(found, 'short', { call });
});
