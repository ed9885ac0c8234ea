import { randomUUID } from 'node:crypto';
import { verifyWorld } from '../../control/verify/verify.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { seedSnapshot } from '../../estate/seeding.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { shipments } from '../../services/carrier-platform/collections.ts';
import { baskets } from '../../services/ecommerce-platform/collections.ts';
import { fulfillmentOrders, parcels } from '../../services/fms/collections.ts';
import { holds, stockKey, unitsMoved } from '../../services/inventory-service/collections.ts';
import { orders } from '../../services/oms/collections.ts';
import { payments } from '../../services/payment-hub/collections.ts';
import { transactions } from '../../services/pos/collections.ts';
import { movements, reservations } from '../../services/sim/collections.ts';
import { pickingOrders } from '../../services/wms/collections.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { type AnyCollection, dumpOf, type Stored } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import type { Snapshot } from '../../shared/store/ports/snapshots.ts';

/**
 * A small sound world, written as data, that tests break through the store. Two mugs of `ord_sent` are delivered by `ful_sent`.
 * Of the three of `ord_open` one was short at `ful_open`, whose parcel is in transit, and one is being picked at `ful_rest`. One of
 * `ord_back` was returned to the sender. `ord_till` is being paid at the till.
 */

const NOW = Date.parse('2026-03-02T10:00:00.000Z');
const at = '2026-03-02T09:00:00.000Z';
const stamped = { version: 1, createdAt: at, updatedAt: at };
export const eur = (amount: number) => ({ amount, currency: 'EUR' });
const address = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

const aLine = (qty: number, counters: object = {}) => ({
  ...{ lineId: 'line-1', sku: 'mug-blue', qty, unitPrice: eur(1000), discount: eur(0), tax: eur(0), lineTotal: eur(qty * 1000) },
  ...{ fulfilledQty: 0, returnedQty: 0, cancelledQty: 0, ...counters },
});

const anOrder = (name: string, state: string, qty: number, more: object = {}, counters: object = {}) => ({
  ...{ id: `ord_${name}`, ...stamped, state, orderNumber: name, channel: 'web', basketId: `bsk_${name}`, validatedAt: at },
  ...{ lines: [aLine(qty, counters)], voucherCodes: [], holdAttempts: 0 },
  totals: { subtotal: eur(qty * 1000), discount: eur(0), shipping: eur(490), tax: eur(0), total: eur(qty * 1000 + 490) },
  ...more,
});

const aPayment = (name: string, amount: number, refunds: readonly { amount: ReturnType<typeof eur>; reference?: string }[] = []) => {
  const refunded = refunds.reduce((sum, refund) => sum + refund.amount.amount, 0);
  return {
    ...{ id: `pay_${name}`, ...stamped, orderId: `ord_${name}`, tender: { type: 'card' }, refunds },
    state: refunded === 0 ? 'captured' : refunded === amount ? 'fully-refunded' : 'partially-refunded',
    ...{ amount: eur(amount), authorizedAmount: eur(amount), capturedAmount: eur(amount), refundedAmount: eur(refunded) },
  };
};

const aFulfillmentOrder = (name: string, order: string, state: string, units: { qty: number; picked: number; short?: number }) => ({
  ...{ id: `ful_${name}`, ...stamped, state, orderId: `ord_${order}`, locationId: 'dc-01', reservationId: `res_${order}`, attempt: 1 },
  ...{ shippingAddress: address, shippingMethod: 'STANDARD', pickingSteps: ['open'], pickingOrderId: `pck_${name}` },
  lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty: units.qty, pickedQty: units.picked, shortQty: units.short ?? 0 }],
  shipments: [] as object[],
});

const aParcel = (name: string, state: string) => ({
  copy: { id: `shp_${name}`, state, labelStatus: 'ready', trackingNumber: `T${name}` },
  shipment: {
    ...{ id: `shp_${name}`, ...stamped, state, fulfillmentOrderId: `ful_${name}`, carrier: 'demo-carrier', service: 'STANDARD' },
    ...{ labelStatus: 'ready', trackingNumber: `T${name}`, from: address, to: address },
    events: [
      { status: 'label-created', statusCode: 'pre_transit', occurredAt: '2026-03-02T08:00:00.000Z' },
      { status: 'collected', statusCode: 'in_transit', occurredAt: '2026-03-02T08:30:00.000Z' },
      { status: state, statusCode: state, occurredAt: at },
    ],
  },
  parcel: {
    ...{ id: `shp_${name}`, version: 1, stockTaken: true, registered: true, label: 'left', newestScanAt: at, deliveryAttempts: 0 },
    data: {
      id: `shp_${name}`,
      fulfillmentOrderId: `ful_${name}`,
      carrier: 'demo-carrier',
      service: 'STANDARD',
      from: address,
      to: address,
    },
  },
});

/** A checkout at the till that is being paid, and its basket. */
const aTransaction = (name: string) => ({
  transaction: { id: `ord_${name}`, ...stamped, state: 'open', storeId: 'store-01', laneId: 'lane-1', tenders: [], asked: [] },
  basket: {
    ...{ id: `bsk_${name}`, ...stamped, state: 'locked', channel: 'pos', storeId: 'store-01', transactionId: `ord_${name}` },
    ...{ currency: 'EUR', lines: [], vouchers: [] },
    totals: { subtotal: eur(0), discount: eur(0), shipping: eur(0), tax: eur(0), total: eur(0) },
  },
});

const aPicking = (name: string, status: string, qty: number, pickedQty: number) => ({
  ...{ id: `pck_${name}`, ...stamped, fulfillmentOrderId: `ful_${name}`, status },
  lines: [{ orderLineId: 'line-1', sku: 'mug-blue', qty, pickedQty }],
});

const aReservation = (order: string, state: string, units: { qty: number; fulfilled: number; cancelled?: number }) => {
  const allocation = { locationId: 'dc-01', sku: 'mug-blue', qty: units.qty };
  const counted = { ...allocation, fulfilledQty: units.fulfilled, cancelledQty: units.cancelled ?? 0 };
  const left = { reference: 'sent', kind: 'consume', allocations: [{ ...allocation, qty: units.fulfilled }] };
  const missing = { reference: 'short', kind: 'write-off', allocations: [{ ...allocation, qty: units.cancelled ?? 0 }] };
  return {
    reservation: {
      ...{ id: `res_${order}`, ...stamped, state, basketId: `bsk_${order}`, orderId: `ord_${order}` },
      ...{ items: [{ sku: 'mug-blue', qty: units.qty }], allocations: [counted] },
    },
    hold: {
      id: `res_${order}`,
      version: 1,
      state: 'held',
      allocations: [allocation],
      moved: units.cancelled === undefined ? [left] : [left, missing],
    },
  };
};

async function soundSnapshot(): Promise<Snapshot> {
  const seeded = seedSnapshot((await loadFixtures()).at(NOW), NOW);
  const parcelsOf = [aParcel('sent', 'delivered'), aParcel('open', 'in-transit'), aParcel('back', 'returned-to-sender')];
  const copyOf = (name: string) => ({ shipments: [parcelsOf.find(({ copy }) => copy.id === `shp_${name}`)?.copy] });
  const held = [
    aReservation('sent', 'fulfilled', { qty: 2, fulfilled: 2 }),
    aReservation('open', 'confirmed', { qty: 4, fulfilled: 2, cancelled: 1 }),
    aReservation('back', 'fulfilled', { qty: 1, fulfilled: 1 }),
  ];
  const rows: readonly (readonly [Application, AnyCollection, readonly object[]])[] = [
    [
      'oms',
      orders,
      [
        anOrder('sent', 'completed', 2, { loyaltyAccountId: 'loy_ada' }, { fulfilledQty: 2 }),
        anOrder('open', 'in-fulfilment', 3),
        anOrder('back', 'cancelled', 1, {}, { cancelledQty: 1 }),
        anOrder('new', 'draft', 1),
      ],
    ],
    [
      'payment-hub',
      payments,
      [aPayment('sent', 2490), aPayment('open', 3490), aPayment('back', 1490, [{ amount: eur(1490), reference: 'cancelled/line-1/1' }])],
    ],
    [
      'fms',
      fulfillmentOrders,
      [
        { ...aFulfillmentOrder('sent', 'sent', 'delivered', { qty: 2, picked: 2 }), ...copyOf('sent') },
        { ...aFulfillmentOrder('open', 'open', 'dispatched', { qty: 3, picked: 2, short: 1 }), ...copyOf('open') },
        aFulfillmentOrder('rest', 'open', 'picking', { qty: 1, picked: 0 }),
        { ...aFulfillmentOrder('back', 'back', 'returned-to-sender', { qty: 1, picked: 1 }), ...copyOf('back') },
      ],
    ],
    ['fms', parcels, parcelsOf.map(({ parcel }) => parcel)],
    ['carrier-platform', shipments, parcelsOf.map(({ shipment }) => shipment)],
    [
      'wms',
      pickingOrders,
      [
        aPicking('sent', 'packed', 2, 2),
        aPicking('open', 'packed', 3, 2),
        aPicking('rest', 'open', 1, 0),
        aPicking('back', 'packed', 1, 1),
      ],
    ],
    ['pos', transactions, [aTransaction('till').transaction]],
    ['ecommerce-platform', baskets, [aTransaction('till').basket]],
    ['sim', reservations, held.map(({ reservation }) => reservation)],
    ['sim', movements, []],
    ['inventory-service', holds, held.map(({ hold }) => hold)],
  ];
  const applications = { ...seeded.applications };
  for (const [application, of, added] of rows) {
    const dump = applications[application];
    const more = dumpOf({ objects: [{ of, rows: added as Stored[] }] });
    applications[application] = {
      objects: { ...dump?.objects, ...more.objects },
      unique: { ...dump?.unique, ...more.unique },
      index: { ...dump?.index, ...more.index },
      counters: { ...dump?.counters },
    };
  }
  return {
    now: NOW,
    applications,
    due: [
      { application: 'oms', kind: 'expire-draft', key: 'ord_new', at: NOW + 1_000, correlationId: 'test', payload: {} },
      { application: 'pos', kind: 'expire-transaction', key: 'ord_till', at: NOW + 1_000, correlationId: 'test', payload: {} },
    ],
  };
}

const MUG = stockKey('mug-blue', 'dc-01');
const NOTHING = { expect: [], put: [], unique: [], index: [], move: [], guard: [], events: [], due: [] };

/** The sound world in a store of its own, and the functions that break it. */
export async function soundWorld() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('sound', await soundSnapshot(), { bearer: '', apiKey: '', webhookSecret: '' });
  const objects = objectsOf(registeredApplications.map(({ service }) => service));
  const commit = async (application: Application, plan: Partial<Plan>): Promise<void> => {
    const outcome = await adapter.store(application).commit(world, { ...NOTHING, operation: randomUUID(), last: true, now: NOW, ...plan });
    if (!outcome.ok) throw new Error(`${outcome.why} ${outcome.at}`);
  };
  const broken = {
    /** Writes an invalid record under its old version, so that it violates nothing else. */
    async change(application: Application, collection: string, id: string, patch: (record: never) => object): Promise<void> {
      const found = await adapter.store(application).object(world, collection, id);
      if (!found) throw new Error(`${collection} has no ${id}.`);
      const next = { ...(JSON.parse(found.json) as object), ...patch(JSON.parse(found.json) as never) };
      await commit(application, { put: [{ collection, id, read: found.version, version: found.version, json: JSON.stringify(next) }] });
    },
    add: (application: Application, collection: string, record: { readonly id: string }) =>
      commit(application, { put: [{ collection, id: record.id, read: 0, version: 1, json: JSON.stringify(record) }] }),
    /** The same record once more under another id. */
    async copy(
      application: Application,
      collection: string,
      id: string,
      to: { readonly id: string } & Readonly<Record<string, unknown>>,
    ): Promise<void> {
      const found = await adapter.store(application).object(world, collection, id);
      await this.add(application, collection, { ...(JSON.parse(found?.json ?? '{}') as object), ...to });
    },
    move: (counter: string, by: Readonly<Record<string, number>>, key = MUG) =>
      commit('inventory-service', { move: Object.entries(by).map(([field, amount]) => ({ counter, key, field, by: amount })) }),
    /** A counter outside the Inventory Service. */
    count: (application: Application, counter: string, key: string, by: Readonly<Record<string, number>>) =>
      commit(application, { move: Object.entries(by).map(([field, amount]) => ({ counter, key, field, by: amount })) }),
    due: (application: Application, kind: string, key: string, when: number | null = NOW + 1_000, awaits?: Application) =>
      commit(application, { due: [{ kind, key, at: when, payload: '{}', correlationId: 'test', awaits }] }),
    /** Work that was parked after too many failures: for good, or until an application is back. */
    async parkDue(application: Application, kind: string, key: string, awaits?: Application): Promise<void> {
      await broken.due(application, kind, key, NOW);
      const item = await adapter.worlds.leaseNext(world, { upTo: NOW, token: 'test', leaseMs: 1_000 });
      if (item?.key !== key) throw new Error(`${item?.key} is due, not ${key}.`);
      await adapter.worlds.requeue(world, item, 'test', { parked: '{"detail":"failed too often"}', awaits });
    },
    /** A delivery whose subscriber depends on an application that was away. */
    async putOff(application: Application, id: string, object: object, awaits: Application): Promise<void> {
      const event = { id, json: JSON.stringify({ correlationid: 'test', data: { object } }) };
      await adapter.store(application).putOff(world, `${application}|${id}`, { event, at: NOW + 1_000, awaits });
    },
    park: (application: Application, eventId: string) => adapter.store(application).park(world, `${application}|${eventId}`, 'poison'),
    /** An event on the bus, as after a commit. */
    async event(
      application: Application,
      subject: string,
      version: number,
      object: object,
      subscribers: Application[] = [],
    ): Promise<string> {
      const id = `evt_${randomUUID().replaceAll('-', '')}`;
      const type = `com.unified-commerce.ext.${subject.split('/')[0]}-changed`;
      const json = JSON.stringify({ id, type, subject, aggregateversion: version, data: { object } });
      await commit(application, { events: [{ id, topic: 'uc', key: subject, json, subscribers }] });
      await adapter.store(application).drain(world, { token: 'relay' });
      await adapter.store(application).drain(world, { token: 'relay', sent: [id] });
      return id;
    },
  };
  // The units of the orders above, as they would have been counted.
  await broken.move('stock', { onHand: -5, reserved: 1 });
  await broken.move(unitsMoved.name, { shipped: 5, writtenOff: 1, returned: 1 });
  return { ...broken, verify: () => verifyWorld(adapter.worlds, world, objects) };
}

export type BreakableWorld = Awaited<ReturnType<typeof soundWorld>>;
