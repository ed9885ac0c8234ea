import { putCollectionUnit as putCollectionUnitCall } from '../../shared/catalog/fulfillment/internal.ts';
import { type CounterState, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { published, type StoredShipment, shipments } from './collections.ts';
import { labelParcel, registerParcel } from './labels.ts';

/** Registers, labels and moves the goods of a collection in one commit. The store reports them, so no webhook does. */
export const putCollectionUnit = handle(putCollectionUnitCall)(async ({ params: { id }, body: { unit, state } }, scope) => {
  const { work } = scope;
  const known = (await work.get(shipments, id)) ?? registerParcel(work, { ...unit, id });
  const labelled = known.state === 'pending' ? await labelParcel(known, {}, scope) : known;
  if (labelled.state === state) return published(labelled);
  const ready = labelled.state === 'label-created' ? move(work, labelled, 'make-ready') : labelled;
  return published(state === 'held-at-depot' ? ready : move(work, ready, state === 'delivered' ? 'deliver' : 'return'));
});

type Verb = 'make-ready' | 'deliver' | 'return';

const MOVES: Readonly<Record<Verb, { readonly status: CounterState; readonly message: string }>> = {
  'make-ready': { status: 'held-at-depot', message: 'Ready at the counter' },
  deliver: { status: 'delivered', message: 'Handed over' },
  return: { status: 'returned-to-sender', message: 'Back on the shelf' },
};

function move(work: UnitOfWork, unit: StoredShipment, verb: Verb): StoredShipment {
  const { status, message } = MOVES[verb];
  const scan = { status, statusCode: trackingStatusCodes[status], occurredAt: instant(work.now), location: unit.from.name, message };
  return work.transition(shipments, unit, verb, { events: [...unit.events, scan] });
}
