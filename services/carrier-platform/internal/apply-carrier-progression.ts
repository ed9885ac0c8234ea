import { applyCarrierProgression as applyCarrierProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { walkPages } from '../../../shared/work/all-pages.ts';
import { handle } from '../../../shared/work/handler.ts';
import { journeys, shipments } from '../collections.ts';
import { planNext } from '../parcel/journey.ts';

export const applyCarrierProgression = handle(applyCarrierProgressionCall)(async ({ body: { carrier: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const journey of walkPages((cursor) => work.find(journeys, 'open', 'yes', { cursor }))) {
    const shipment = await work.get(shipments, journey.id);
    if (shipment && (await planNext(journey, { work, shipment, mode }))) rescheduled += 1;
  }
  return { rescheduled };
});
