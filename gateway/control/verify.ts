import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Application } from '../../shared/catalog/applications.ts';
import type { Basket } from '../../shared/catalog/commerce/objects.ts';
import type { ObjectDefinition } from '../../shared/catalog/define.ts';
import type { Reservation } from '../../shared/catalog/inventory/objects.ts';
import type { LoyaltyAccount } from '../../shared/catalog/loyalty/objects.ts';
import type { Order } from '../../shared/catalog/order/objects.ts';
import type { Payment } from '../../shared/catalog/payment/objects.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { ApplicationDump, Ledger, Snapshot, World, Worlds } from '../../shared/store/ports.ts';
import { allEventsOf } from './event-reader.ts';

/** Where each business object is stored, by type. */
export type EstateObjects = Readonly<
  Record<string, { readonly application: Application; readonly collection: string; readonly definition: ObjectDefinition }>
>;

export interface InvariantResult {
  readonly id: string;
  readonly title: string;
  readonly holds: boolean;
  readonly checked: number;
  readonly violations: string[];
}

/** Everything that a rehearsal holds, read once. */
interface Held {
  readonly dumps: ReadonlyMap<Application, ApplicationDump>;
  readonly seed: Snapshot;
  readonly events: readonly EstateEvent[];
  readonly ledger: Ledger;
  readonly due: Snapshot['due'];
  of<T>(type: string): readonly T[];
}

/** Collects what breaks an invariant. */
function findings(id: string, title: string) {
  const violations: string[] = [];
  let checked = 0;
  return {
    check(holds: boolean, violation: string): void {
      checked += 1;
      if (!holds) violations.push(violation);
    },
    result: (): InvariantResult => ({ id, title, holds: violations.length === 0, checked, violations }),
  };
}

/** Computes the invariants over a whole world. Each violation names the records that break it. */
export async function verifyWorld(worlds: Worlds, world: World, objects: EstateObjects): Promise<InvariantResult[]> {
  const snapshot = await worlds.snapshot(world);
  const dumps = new Map(Object.entries(snapshot.applications) as [Application, ApplicationDump][]);
  const held: Held = {
    dumps,
    seed: await worlds.seed(world),
    events: await allEventsOf(worlds, world),
    ledger: await worlds.ledger(world),
    due: snapshot.due,
    of: <T>(type: string) => {
      const at = objects[type];
      const stored = (at && dumps.get(at.application)?.objects[at.collection]) ?? [];
      return stored.map(({ json }) => JSON.parse(json) as T);
    },
  };
  return [money(held), stock(held), oneEffect(held), eventVersions(held, objects), moving(held), replay(held, objects)];
}

type Stored<S extends z.ZodType> = z.output<S>;

function money({ of }: Held): InvariantResult {
  const { check, result } = findings(
    'money',
    'Nothing is captured beyond what was authorised, refunded beyond what was captured, or lost in between',
  );
  const payments = of<Stored<typeof Payment>>('payment');
  for (const { id, state, amount, authorizedAmount, capturedAmount, refundedAmount, refunds } of payments) {
    const numbers = [amount.amount, authorizedAmount.amount, capturedAmount.amount, refundedAmount.amount];
    check(
      numbers.every((value) => Number.isSafeInteger(value) && value >= 0),
      `payment/${id}: amounts are not integers ≥ 0: ${numbers.join(', ')}`,
    );
    check(authorizedAmount.amount <= amount.amount, `payment/${id}: authorised ${authorizedAmount.amount} > asked ${amount.amount}`);
    check(
      capturedAmount.amount <= authorizedAmount.amount,
      `payment/${id}: captured ${capturedAmount.amount} > authorised ${authorizedAmount.amount}`,
    );
    check(
      refundedAmount.amount <= capturedAmount.amount,
      `payment/${id}: refunded ${refundedAmount.amount} > captured ${capturedAmount.amount}`,
    );
    const listed = refunds.reduce((sum, refund) => sum + refund.amount.amount, 0);
    check(listed === refundedAmount.amount, `payment/${id}: its refunds add up to ${listed}, not to ${refundedAmount.amount}`);
    const isCaptured = state === 'captured' || state === 'partially-refunded' || state === 'fully-refunded';
    check(isCaptured === capturedAmount.amount > 0, `payment/${id}: ${state} with ${capturedAmount.amount} captured`);
    check(
      (state === 'fully-refunded') === (isCaptured && refundedAmount.amount === capturedAmount.amount),
      `payment/${id}: ${state} with ${refundedAmount.amount} of ${capturedAmount.amount} refunded`,
    );
  }
  for (const order of of<Stored<typeof Order>>('order')) {
    const { id, lines, totals } = order;
    const goods = lines.reduce((sum, line) => sum + line.lineTotal.amount, 0);
    const discount = lines.reduce((sum, line) => sum + line.discount.amount, 0);
    check(
      goods + totals.shipping.amount === totals.total.amount,
      `order/${id}: lines ${goods} and shipping ${totals.shipping.amount} are not the total ${totals.total.amount}`,
    );
    check(discount === totals.discount.amount, `order/${id}: line discounts add up to ${discount}, not to ${totals.discount.amount}`);
    check(
      totals.subtotal.amount - totals.discount.amount + totals.shipping.amount === totals.total.amount,
      `order/${id}: totals do not add up`,
    );
    const bound = payments
      .filter((payment) => payment.orderId === id && !['failed', 'voided'].includes(payment.state))
      .reduce(
        (sum, payment) =>
          sum +
          (payment.state === 'pending'
            ? payment.amount.amount
            : payment.state === 'authorised'
              ? payment.authorizedAmount.amount
              : payment.capturedAmount.amount),
        0,
      );
    check(bound <= totals.total.amount, `order/${id}: payments of ${bound} for a total of ${totals.total.amount}`);
  }
  for (const account of of<Stored<typeof LoyaltyAccount>>('loyalty-account')) {
    const sum = account.entries.reduce((points, entry) => points + entry.points, 0);
    check(account.pointsBalance >= 0, `loyalty-account/${account.id}: negative balance ${account.pointsBalance}`);
    check(
      sum === account.pointsBalance,
      `loyalty-account/${account.id}: entries add up to ${sum}, the balance is ${account.pointsBalance}`,
    );
  }
  return result();
}

type Counters = Readonly<Record<string, Readonly<Record<string, number>>>>;

function stock({ dumps, seed, of }: Held): InvariantResult {
  const { check, result } = findings(
    'stock',
    'Per SKU and location: nothing is negative, open reservations are what is reserved, and no unit appears or vanishes',
  );
  const counters: Counters = dumps.get('inventory-service')?.counters['stock'] ?? {};
  const seeded: Counters = seed.applications['inventory-service']?.counters['stock'] ?? {};
  const open = new Map<string, number>();
  for (const { state, allocations } of of<Stored<typeof Reservation>>('reservation')) {
    if (state !== 'requested' && state !== 'confirmed') continue;
    for (const { sku, locationId, qty, fulfilledQty, cancelledQty } of allocations) {
      const key = `${sku}|${locationId}`;
      open.set(key, (open.get(key) ?? 0) + qty - fulfilledQty - cancelledQty);
    }
  }
  for (const key of new Set([...Object.keys(counters), ...Object.keys(seeded), ...open.keys()])) {
    const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[key] ?? {};
    check(onHand >= 0 && reserved >= 0, `stock/${key}: on hand ${onHand}, reserved ${reserved}`);
    check(onHand - reserved - safetyStock >= 0, `stock/${key}: ATP ${onHand - reserved - safetyStock}`);
    check((open.get(key) ?? 0) === reserved, `stock/${key}: open reservations hold ${open.get(key) ?? 0}, reserved is ${reserved}`);
    check(
      (seeded[key]?.['onHand'] ?? 0) === onHand,
      `stock/${key}: ${onHand} on hand, ${seeded[key]?.['onHand'] ?? 0} were there and none has moved`,
    );
  }
  return result();
}

/** Natural keys under which there must be one record, whatever was repeated. */
function oneEffect({ of, events }: Held): InvariantResult {
  const { check, result } = findings(
    'one-effect',
    'One effect per key: one order per basket, one open hold per basket, one ledger entry per reference, one event per change',
  );
  const unique = <T>(records: readonly T[], what: string, keyOf: (record: T) => string | undefined): void => {
    const seen = new Map<string, number>();
    for (const record of records) {
      const key = keyOf(record);
      if (key !== undefined) seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    for (const [key, count] of seen) check(count === 1, `${what} ${key}: ${count} times`);
  };
  unique(of<Stored<typeof Order>>('order'), 'order of basket', ({ basketId }) => basketId);
  unique(
    of<Stored<typeof Reservation>>('reservation').filter(({ state }) => state === 'requested'),
    'open hold of basket',
    ({ basketId }) => basketId,
  );
  unique(of<Stored<typeof Basket>>('basket'), 'basket of order', ({ orderId }) => orderId);
  for (const account of of<Stored<typeof LoyaltyAccount>>('loyalty-account')) {
    unique(
      account.entries.filter(({ type }) => type === 'earn'),
      `earn at loyalty-account/${account.id} for order`,
      ({ orderId }) => orderId,
    );
  }
  unique(events, 'event', ({ type, subject, aggregateversion }) => `${type} ${subject} v${aggregateversion}`);
  return result();
}

function eventVersions({ of, events, seed }: Held, objects: EstateObjects): InvariantResult {
  const { check, result } = findings(
    'event-versions',
    'The event versions of every object are 1..n without a gap, and end at the version that is stored',
  );
  const versions = new Map<string, Set<number>>();
  for (const { subject, aggregateversion } of events) versions.set(subject, (versions.get(subject) ?? new Set()).add(aggregateversion));
  for (const [type, at] of Object.entries(objects)) {
    const seeded = new Map((seed.applications[at.application]?.objects[at.collection] ?? []).map(({ id, version }) => [id, version]));
    for (const object of of<{ id: string; version: number }>(type)) {
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
  for (const subject of versions.keys()) check(false, `${subject}: events of an object that nobody stores`);
  return result();
}

/** Orders rest only where somebody outside has the next move; everything else must have work that will move it. */
function moving({ of, due, ledger }: Held): InvariantResult {
  const { check, result } = findings('moving', 'Every accepted order is at rest, moving, or in a named queue');
  const parked = ledger.parked.map(({ key }) => key);
  for (const order of of<Stored<typeof Order>>('order')) {
    const ahead = due.filter(
      ({ application, key, payload }) => application === 'oms' && (key.includes(order.id) || JSON.stringify(payload).includes(order.id)),
    );
    const queued = ahead.length > 0 || parked.some((key) => key.includes(order.id));
    if (order.pendingAction)
      check(queued, `order/${order.id}: ${order.pendingAction.action} is pending and nothing will finish or undo it`);
    if (order.compensation) check(queued, `order/${order.id}: compensation is pending and nothing will do it`);
    if (order.state === 'draft') check(queued, `order/${order.id}: draft, and nothing will ever expire it`);
  }
  return result();
}

function replay({ of, events }: Held, objects: EstateObjects): InvariantResult {
  const { check, result } = findings('replay', 'Replaying an object’s events gives what is stored');
  const last = new Map<string, EstateEvent>();
  for (const event of events) {
    const before = last.get(event.subject);
    if (!before || event.aggregateversion >= before.aggregateversion) last.set(event.subject, event);
  }
  for (const [type, { definition }] of Object.entries(objects)) {
    for (const object of of<{ id: string }>(type)) {
      const event = last.get(`${type}/${object.id}`);
      if (!event) continue;
      const published: unknown = JSON.parse(JSON.stringify(definition.schema.parse(object)));
      check(
        isDeepStrictEqual(event.data.object, published),
        `${type}/${object.id}: its last event, version ${event.aggregateversion}, says something else than what is stored`,
      );
    }
  }
  return result();
}
