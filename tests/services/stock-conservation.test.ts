import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runsOf } from '../support/effort.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import type { PlainReply as Reply } from '../support/plain-client.ts';
import type { Line } from '../support/steps/order.ts';

/**
 * Open reservations equal the reserved counters, and no unit is promised twice, in any order of calls, against a model that predicts
 * every answer. `stock-movement-conservation` plays concurrent calls and failures.
 */

const NODES = ['dc-01', 'dc-02', 'store-01', 'store-02', 'store-03'];
const SKUS = ['lamp-last-one', 'desk-two-nodes', 'mug-green', 'vase-sold-out'];
const BASKETS = [
  [{ sku: 'lamp-last-one', qty: 1 }],
  [
    { sku: 'desk-two-nodes', qty: 2 },
    { sku: 'mug-green', qty: 3 },
  ],
  [
    { sku: 'desk-two-nodes', qty: 3 },
    { sku: 'lamp-last-one', qty: 1 },
  ],
];

/** The line of each draft order. Its reservation was released. */
const ORDERS = [
  { sku: 'mug-green', qty: 40 },
  { sku: 'desk-two-nodes', qty: 3 },
  { sku: 'lamp-last-one', qty: 1 },
];

type Held = Line & { readonly locationId: string };

const aLine = fc.record({
  sku: fc.constantFrom(...SKUS),
  qty: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) }, { weight: 1, arbitrary: fc.integer({ min: 15, max: 300 }) }),
});
const anOrder = fc.nat(ORDERS.length - 1);
const anyNode = fc.constantFrom(...NODES);

/** A step by its kind; `pick` chooses among the existing reservations. */
const aStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      items: fc.array(aLine, { minLength: 1, maxLength: 3 }),
      locationId: fc.option(anyNode, { nil: undefined, freq: 3 }),
      ttlSeconds: fc.constantFrom(60, 300, 900),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('reserve-basket' as const),
      basket: fc.nat(BASKETS.length - 1),
      ttlSeconds: fc.constantFrom(undefined, 300, 900),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('confirm' as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), seconds: fc.constantFrom(30, 60, 300, 900) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('allocate' as const),
      order: anOrder,
      qty: fc.integer({ min: 1, max: 40 }),
      preferredLocations: fc.option(fc.array(anyNode, { maxLength: 2 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('allocate-held' as const),
      pick: fc.nat(),
      order: anOrder,
      qty: fc.integer({ min: 1, max: 40 }),
    }),
  },
);
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

/** The units of an order's line that a step allocates. */
const unitsOf = ({ order, qty }: { order: number; qty: number }): Line => {
  const { sku = '', qty: most = 1 } = ORDERS[order] ?? {};
  return { sku, qty: Math.min(qty, most) };
};

/** A rehearsal with a manual clock, three baskets, and draft orders whose reservations were released. */
async function aShop() {
  const rehearsal = await newRehearsal();
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const baskets: string[] = [];
  for (const lines of BASKETS) baskets.push((await rehearsal.basket({ lines })).id);
  const orders: { orderId: string; orderLineId: string }[] = [];
  for (const line of ORDERS) {
    const { id: basketId, reservationId } = await rehearsal.checkedOut(line);
    const { id, lines } = await rehearsal.draft(basketId);
    await rehearsal.api('release-reservation-api', { params: { id: reservationId ?? '' } });
    orders.push({ orderId: id, orderLineId: lines[0].lineId });
  }
  return { rehearsal, baskets, orders };
}

/** Sends a step. @returns undefined when there is no reservation or basket to send it for */
function send(step: Step, shop: Awaited<ReturnType<typeof aShop>>, ids: readonly string[]): Promise<Reply> | undefined {
  const { rehearsal, baskets, orders } = shop;
  const picked = 'pick' in step ? ids[step.pick % ids.length] : undefined;
  switch (step.kind) {
    case 'reserve': {
      const { items, locationId, ttlSeconds } = step;
      return rehearsal.call('reserve-inventory-api', { body: { items, locationId, ttlSeconds } });
    }
    case 'reserve-basket':
      return rehearsal.call('reserve-inventory-api', { body: { basketId: baskets[step.basket], ttlSeconds: step.ttlSeconds } });
    case 'confirm':
      return picked === undefined ? undefined : rehearsal.call('confirm-reservation-api', { params: { id: picked }, body: {} });
    case 'release':
      return picked === undefined ? undefined : rehearsal.call('release-reservation-api', { params: { id: picked } });
    case 'allocate': {
      const { preferredLocations } = step;
      return rehearsal.call('allocate-inventory-api', { body: { ...orders[step.order], ...unitsOf(step), preferredLocations } });
    }
    case 'allocate-held': {
      const body = { ...orders[step.order], ...unitsOf(step), reservationId: picked };
      return picked === undefined ? undefined : rehearsal.call('allocate-inventory-api', { body });
    }
    case 'advance':
      return undefined;
  }
}

interface Level {
  readonly locationId: string;
  readonly onHand: number;
  readonly reserved: number;
  readonly atp: number;
}

/** The counters of Get Inventory per SKU and location. */
async function shelves({ api }: TestRehearsal): Promise<Map<string, Level>> {
  const items = await Promise.all(SKUS.map((sku) => api('get-inventory-api', { params: { sku } })));
  return new Map(items.flatMap(({ sku, locations }) => locations.map((level: Level) => [`${sku}|${level.locationId}`, level])));
}

interface Reservation {
  state: string;
  readonly held: readonly Held[];
  readonly basket?: number;
  readonly order?: number;
  readonly ttlSeconds?: number;
  readonly expiresAt?: number;
}

/** The expected behaviour: a model without processes, calls or commits. */
class Model {
  readonly reservations = new Map<string, Reservation>();
  readonly #atp: ReadonlyMap<string, number>;
  #now = 0;

  constructor(atp: ReadonlyMap<string, number>) {
    this.#atp = atp;
  }

  #open(): Reservation[] {
    return [...this.reservations.values()].filter(({ state }) => state === 'requested' || state === 'confirmed');
  }

  reserved(sku: string, locationId: string, besides?: Reservation): number {
    const held = this.#open().flatMap((reservation) => (reservation === besides ? [] : reservation.held));
    return held.filter((one) => one.sku === sku && one.locationId === locationId).reduce((sum, { qty }) => sum + qty, 0);
  }

  #choose(lines: readonly Line[], nodes: readonly string[], besides?: Reservation): { held: Held[]; short: object[] } {
    const merged = new Map<string, number>();
    for (const { sku, qty } of lines) merged.set(sku, (merged.get(sku) ?? 0) + qty);
    const held: Held[] = [];
    const short: object[] = [];
    for (const [sku, qty] of merged) {
      const free = nodes.map((node) => (this.#atp.get(`${sku}|${node}`) ?? 0) - this.reserved(sku, node, besides));
      const found = free.findIndex((atp) => atp >= qty);
      const locationId = nodes[found];
      if (locationId === undefined) short.push({ sku, requested: qty, available: Math.max(...free) });
      else held.push({ sku, qty, locationId });
    }
    return { held, short };
  }

  advance(seconds: number): void {
    this.#now += seconds;
    for (const one of this.reservations.values()) if (one.state === 'requested' && (one.expiresAt ?? 0) <= this.#now) one.state = 'expired';
  }

  /** Checks an answer and applies its effect to the model. */
  check(step: Step, { status, body }: Reply, ids: readonly string[]): void {
    const picked = 'pick' in step ? this.reservations.get(ids[step.pick % ids.length] ?? '') : undefined;
    if (step.kind === 'reserve') {
      const { held, short } = this.#choose(step.items, step.locationId === undefined ? NODES : [step.locationId]);
      this.#expectHold({ status, body }, short, { state: 'requested', held, expiresAt: this.#now + step.ttlSeconds });
    } else if (step.kind === 'reserve-basket') {
      const { basket, ttlSeconds = 900 } = step;
      const old = this.#open().find((one) => one.basket === basket);
      if (old && (step.ttlSeconds === undefined || (old.state === 'requested' && old.ttlSeconds === ttlSeconds))) {
        expect([status, this.reservations.get(body.id)]).toEqual([200, old]);
        return;
      }
      const { held, short } = this.#choose(BASKETS[basket] ?? [], NODES, old);
      if (old && short.length === 0) old.state = 'released';
      this.#expectHold({ status, body }, short, { state: 'requested', held, basket, ttlSeconds, expiresAt: this.#now + ttlSeconds });
    } else if (step.kind === 'allocate') this.#checkAllocate(step, { status, body });
    else if (step.kind === 'allocate-held' && picked) this.#checkHeld(step, picked, { status, body });
    else if (step.kind === 'confirm' && picked) {
      const ok = picked.state === 'requested' || picked.state === 'confirmed';
      if (ok) picked.state = 'confirmed';
      const refusal = picked.state === 'expired' ? 'reservation_expired' : 'invalid_state_transition';
      expect(ok ? [status, body.state] : [status, body.code]).toEqual(ok ? [200, 'confirmed'] : [409, refusal]);
    } else if (step.kind === 'release' && picked) {
      if (picked.state !== 'expired') picked.state = 'released';
      expect([status, body.state]).toEqual([200, picked.state]);
    }
  }

  #expectHold({ status, body }: Pick<Reply, 'status' | 'body'>, short: readonly object[], expected: Reservation): void {
    if (short.length > 0) {
      expect([status, body.code, body.skus]).toEqual([409, 'insufficient_stock', short]);
      return;
    }
    const held = body.allocations?.map(({ sku, qty, locationId }: Held) => ({ sku, qty, locationId }));
    expect([status, body.state, held]).toEqual([201, expected.state, expected.held]);
    this.reservations.set(body.id, expected);
  }

  #checkAllocate(step: Extract<Step, { kind: 'allocate' }>, reply: Pick<Reply, 'status' | 'body'>): void {
    const { order, preferredLocations } = step;
    const line = unitsOf(step);
    const [known] = [...this.reservations].filter(([, one]) => one.order === order);
    if (!known) {
      const { held, short } = this.#choose([line], [...new Set([...(preferredLocations ?? []), ...NODES])]);
      this.#expectHold(reply, short, { state: 'confirmed', held, order });
      return;
    }
    const [id, { state, held }] = known;
    if (held[0]?.qty !== line.qty) expect([reply.status, reply.body.code]).toEqual([422, 'validation_failed']);
    else if (state === 'confirmed') expect([reply.status, reply.body.id]).toEqual([200, id]);
    else expect([reply.status, reply.body.code]).toEqual([409, 'invalid_state_transition']);
  }

  #checkHeld(step: Extract<Step, { kind: 'allocate-held' }>, found: Reservation, { status, body }: Pick<Reply, 'status' | 'body'>): void {
    const { state, held, basket, order } = found;
    const { sku, qty } = unitsOf(step);
    const covered = held.filter((one) => one.sku === sku).reduce((sum, one) => sum + one.qty, 0);
    const isOfOther = basket !== undefined || (order !== undefined && order !== step.order);
    if (state !== 'requested' && state !== 'confirmed') expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    else if (isOfOther) expect([status, body.code]).toEqual([422, 'validation_failed']);
    else if (covered < qty) expect([status, body.skus]).toEqual([409, [{ sku, requested: qty, available: covered }]]);
    else expect([status, body.state]).toEqual([200, state]);
  }
}

test('stock agrees with a simple model in every answer and every counter, one call at a time', async () => {
  const property = fc.asyncProperty(fc.array(aStep, { minLength: 5, maxLength: 30 }), async (steps) => {
    const shop = await aShop();
    await using rehearsal = shop.rehearsal;
    const model = new Model(new Map([...(await shelves(rehearsal))].map(([key, { atp }]) => [key, atp])));
    const begin = await shelves(rehearsal);
    for (const step of steps) {
      const ids = [...model.reservations.keys()];
      if (step.kind === 'advance') {
        await rehearsal.advance(`PT${step.seconds}S`);
        model.advance(step.seconds);
      }
      const reply = await send(step, shop, ids);
      if (reply) model.check(step, reply, ids);
      for (const [key, { onHand, reserved }] of await shelves(rehearsal)) {
        const [sku = '', locationId = ''] = key.split('|');
        expect([key, onHand, reserved]).toEqual([key, begin.get(key)?.onHand, model.reserved(sku, locationId)]);
      }
    }
    for (const [id, { state }] of model.reservations) expect((await rehearsal.object('reservation', id)).state).toBe(state);
    await rehearsal.verify();
  });
  await fc.assert(property, { numRuns: runsOf({ usually: 6, thoroughly: 16 }), interruptAfterTimeLimit: 25_000, endOnFailure: true });
});
