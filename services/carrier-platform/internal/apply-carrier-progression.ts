import { applyCarrierProgression as applyCarrierProgressionCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Journey, journeys, shipments } from '../collections.ts';
import { planNext } from '../parcel/journey.ts';

export const applyCarrierProgression = handle(applyCarrierProgressionCall)(async ({ body: { carrier: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const journey of openJourneys(work)) {
    const shipment = await work.get(shipments, journey.id);
    if (shipment && (await planNext(journey, { work, shipment, mode }))) rescheduled += 1;
  }
  return { rescheduled };
});

async function* openJourneys(work: UnitOfWork): AsyncGenerator<Journey> {
  let cursor: string | undefined;
  do {
    const page = await work.find(journeys, 'open', 'yes', { cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
