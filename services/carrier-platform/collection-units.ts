import { isDeepStrictEqual } from 'node:util';
import { putCollectionUnit as putCollectionUnitCall } from '../../shared/catalog/fulfillment/internal.ts';
import { type CounterState, shipmentLifeCycle, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { journeys, published, type StoredShipment, shelfLabels, shipments } from './collections.ts';
import { labelParcel, registerParcel } from './labels.ts';
import { giveUpParcelDue, planNext } from './scans.ts';

/**
 * Registers, labels and moves the goods of a collection in one commit. The store reports them, so no webhook does. A carrier may have brought
 * them; then its journey has ended.
 */
export const putCollectionUnit = handle(putCollectionUnitCall)(async ({ params: { id }, body: { unit, state, shelf } }, scope) => {
  const { work } = scope;
  if (shelf && !isDeepStrictEqual((await work.get(shelfLabels, id))?.label, shelf)) work.put(shelfLabels, { id, label: shelf });
  const known = (await work.get(shipments, id)) ?? registerParcel(work, { ...unit, id });
  const labelled = known.state === 'pending' ? await labelParcel(known, {}, scope) : known;
  if (labelled.state === state) return published(labelled);
  const ready = allowedFrom(shipmentLifeCycle, 'make-ready').includes(labelled.state) ? await putOnCounter(labelled, scope) : labelled;
  // A carrier outside the estate brought the goods, after this one had reported another end.
  if (ready.state !== 'held-at-depot' || state === 'held-at-depot') return published(ready);
  return published(move(work, ready, state === 'delivered' ? 'deliver' : 'return'));
});

async function putOnCounter(unit: StoredShipment, { work }: Scope): Promise<StoredShipment> {
  const journey = await work.get(journeys, unit.id);
  if (journey) await planNext({ ...journey, open: false }, { work, shipment: unit, mode: 'manual' });
  work.cancel(giveUpParcelDue, unit.id);
  return move(work, unit, 'make-ready');
}

type Verb = 'make-ready' | 'deliver' | 'return';

const MOVES: Readonly<Record<Verb, { readonly status: CounterState; readonly message: string }>> = {
  'make-ready': { status: 'held-at-depot', message: 'Ready at the counter' },
  deliver: { status: 'delivered', message: 'Handed over' },
  return: { status: 'returned-to-sender', message: 'Back on the shelf' },
};

function move(work: UnitOfWork, unit: StoredShipment, verb: Verb): StoredShipment {
  const { status, message } = MOVES[verb];
  const scan = { status, statusCode: trackingStatusCodes[status], occurredAt: instant(work.now), location: unit.to.name, message };
  return work.transition(shipments, unit, verb, { events: [...unit.events, scan] });
}
