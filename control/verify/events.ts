import { isDeepStrictEqual } from 'node:util';
import { withOwnDocuments } from '../../shared/control/world-addresses.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { addToGroup, findings, type InvariantResult } from './invariant.ts';
import { accountsOf, type Basket, type Order, type Payment, type PickingOrder, type Reservation } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

export async function eventVersions({ of, events, seed, objects }: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('event-versions');
  const versions = new Map<string, Set<number>>();
  for await (const { subject, aggregateversion } of breathing(events, breathe))
    versions.set(subject, (versions.get(subject) ?? new Set()).add(aggregateversion));
  for (const [type, at] of Object.entries(objects)) {
    const seeded = new Map((seed.applications[at.application]?.objects[at.collection] ?? []).map(({ id, version }) => [id, version]));
    for (const object of of<{ id: string; version: number }>(type)) {
      await breathe();
      const subject = `${type}/${object.id}`;
      const first = (seeded.get(object.id) ?? 0) + 1;
      const seen = versions.get(subject) ?? new Set<number>();
      const missing = Array.from({ length: Math.max(0, object.version - first + 1) }, (_, index) => first + index).filter(
        (version) => !seen.has(version),
      );
      check(missing.length === 0, `${subject}: no event for version ${missing.join(', ')}`);
      check(
        [...seen].every((version) => version >= first && version <= object.version),
        `${subject}: events beyond version ${object.version}`,
      );
      versions.delete(subject);
    }
  }
  for (const subject of versions.keys()) check(false, `${subject}: events of an object that does not exist`);
  return result();
}

/** Repeated requests and events must not create a second record under the same natural key. */
export async function oneEffect(world: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { of, records, events } = world;
  const { check, result } = findings('one-effect');
  const unique = async <T extends object>(found: readonly T[], what: string, keyOf: (record: T) => string | undefined): Promise<void> => {
    const seen = new Map<string, T[]>();
    for await (const record of breathing(found, breathe)) {
      const key = keyOf(record);
      if (key !== undefined) addToGroup(seen, key, record);
    }
    for await (const [key, same] of breathing(seen, breathe)) {
      const ids = same.flatMap((record) => ('id' in record ? [String(record.id)] : []));
      check(same.length === 1, `${what} ${key}: ${same.length} times${ids.length > 0 ? `, ${ids.join(', ')}` : ''}`);
    }
  };
  await unique(of<Order>('order'), 'order of basket', ({ basketId }) => basketId);
  await unique(
    of<Reservation>('reservation').filter(({ state }) => state === 'requested'),
    'open reservation of basket',
    ({ basketId }) => basketId,
  );
  await unique(of<Basket>('basket'), 'basket of order', ({ orderId }) => orderId);
  await unique(
    records<PickingOrder>('wms', 'picking-orders'),
    'picking order of fulfillment-order',
    ({ fulfillmentOrderId }) => fulfillmentOrderId,
  );
  for (const { id, refunds } of of<Payment>('payment')) {
    await unique(refunds, `refund of payment/${id} under`, ({ reference }) => reference);
  }
  for (const account of accountsOf(world)) {
    const earned = account.ledger.filter(({ type }) => type === 'earn');
    await unique(earned, `earn at loyalty-account/${account.id} for order`, ({ orderId }) => orderId);
    const issued = account.ledger.filter(({ type }) => type === 'issue');
    await unique(issued, `points issued to loyalty-account/${account.id} for`, ({ reference }) => reference);
    const takenBack = account.ledger.filter(({ type, points, reference }) => type === 'reverse' && points <= 0 && reference !== undefined);
    await unique(takenBack, `points taken back at loyalty-account/${account.id} for`, ({ reference }) => reference);
  }
  await unique(events, 'event', ({ type, subject, aggregateversion }) => `${type} ${subject} v${aggregateversion}`);
  return result();
}

export async function replay({ world, of, events, objects }: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('replay');
  const last = new Map<string, EstateEvent>();
  for await (const event of breathing(events, breathe)) {
    const before = last.get(event.subject);
    if (!before || event.aggregateversion >= before.aggregateversion) last.set(event.subject, event);
  }
  for (const [type, { definition }] of Object.entries(objects)) {
    for (const object of of<{ id: string }>(type)) {
      await breathe();
      const event = last.get(`${type}/${object.id}`);
      if (!event) continue;
      const published = JSON.parse(JSON.stringify(definition.schema.parse(object))) as object;
      // A copied object has addresses of the first world, and so has a copied event. Later events have addresses of this one.
      check(
        isDeepStrictEqual(withOwnDocuments(event.data.object, world), withOwnDocuments(published, world)),
        `${type}/${object.id}: its last event, version ${event.aggregateversion}, differs from the stored object`,
      );
    }
  }
  return result();
}
