import { randomUUID } from 'node:crypto';
import { verifyWorld } from '../../control/verify/verify.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { seedData } from '../../estate/seeding.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { shipments } from '../../services/carrier-platform/collections.ts';
import { baskets } from '../../services/ecommerce-platform/collections.ts';
import { fulfillmentOrders, parcels } from '../../services/fms/collections.ts';
import { holds, stockKey, unitsMoved } from '../../services/inventory-service/collections.ts';
import { earnings } from '../../services/loyalty-platform/collections.ts';
import { orders } from '../../services/oms/collections.ts';
import { payments } from '../../services/payment-hub/collections.ts';
import { transactions } from '../../services/pos/collections.ts';
import { movements, reservations } from '../../services/sim/collections.ts';
import { pickingOrders } from '../../services/wms/collections.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { references } from '../../shared/handlers/references.ts';
import { type AnyCollection, dumpOf, type Stored } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import type { WorldData } from '../../shared/store/ports/world-data.ts';

/**
 * A small consistent world, written as data. Tests corrupt it through the store. Two mugs of `ord_sent` are delivered by `ful_sent`.
 * `ord_open` has three units: one was short at `ful_open`, whose parcel is in transit, and one is being picked at `ful_rest`. One unit of
 * `ord_back` was returned to the sender. `ord_till` is being paid at the till.
 */

const NOW = Date.parse('2026-03-02T10:00:00.000Z');
const at = '2026-03-02T09:00:00.000Z';
const stamped = { version: 1, createdAt: at, updatedAt: at };
export const eur = (amount: number) => ({ amount, currency: 'EUR' });
export const REFUND = { state: 'succeeded', amount: eur(1490), reference: 'cancelled/line-1/1' };
/** The reference of `ord_new`. */
export const REFERENCE = { source: 'shop', id: '1' };
const address = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const totalsOf = (subtotal: number, shipping: number) => {
  const amounts = { subtotal, discount: 0, shipping, tax: 0, total: subtotal + shipping };
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, eur(amount)]));
};

function anOrder(name: string, state: string, qty: number, more: object = {}, counters: object = {}) {
  const priced = { unitPrice: eur(1000), discount: eur(0), tax: eur(0), lineTotal: eur(qty * 1000) };
  const line = { lineId: 'line-1', sku: 'mug-blue', qty, ...priced, fulfilledQty: 0, returnedQty: 0, cancelledQty: 0, ...counters };
  const about = { orderNumber: name, channel: 'web', basketId: `bsk_${name}`, validatedAt: at, voucherCodes: [], holdAttempts: 0 };
  return { id: `ord_${name}`, ...stamped, state, ...about, lines: [line], totals: totalsOf(qty * 1000, 490), ...more };
}

function aPayment(name: string, paid: number, refunds: readonly { amount: ReturnType<typeof eur> }[] = []) {
  const refunded = refunds.reduce((sum, refund) => sum + refund.amount.amount, 0);
  const state = refunded === 0 ? 'captured' : refunded === paid ? 'fully-refunded' : 'partially-refunded';
  const amounts = { amount: eur(paid), authorizedAmount: eur(paid), capturedAmount: eur(paid), refundedAmount: eur(refunded) };
  return { id: `pay_${name}`, ...stamped, orderId: `ord_${name}`, tender: { type: 'card' }, state, ...amounts, refunds };
}

function aFulfillmentOrder(name: string, order: string, state: string, units: { qty: number; picked: number; short?: number }) {
  const { qty, picked: pickedQty, short: shortQty = 0 } = units;
  const references = { orderId: `ord_${order}`, reservationId: `res_${order}`, pickingOrderId: `pck_${name}`, locationId: 'dc-01' };
  const sent = { attempt: 1, shippingAddress: address, shippingMethod: 'STANDARD', pickingSteps: ['open'], shipments: [] as object[] };
  const lines = [{ orderLineId: 'line-1', sku: 'mug-blue', qty, pickedQty, shortQty }];
  return { id: `ful_${name}`, ...stamped, state, ...references, ...sent, lines };
}

function aParcel(name: string, state: string) {
  const id = `shp_${name}`;
  const data = { id, fulfillmentOrderId: `ful_${name}`, carrier: 'demo-carrier', service: 'STANDARD', from: address, to: address };
  const label = { labelStatus: 'ready', trackingNumber: `T${name}` };
  const events = [
    { status: 'label-created', statusCode: 'pre_transit', occurredAt: '2026-03-02T08:00:00.000Z' },
    { status: 'collected', statusCode: 'in_transit', occurredAt: '2026-03-02T08:30:00.000Z' },
    { status: state, statusCode: state, occurredAt: at },
  ];
  const taken = { stockTaken: true, registered: true, label: 'left', newestScanAt: at, deliveryAttempts: 0 };
  return {
    copy: { id, state, ...label },
    shipment: { ...stamped, ...data, state, ...label, events },
    parcel: { id, version: 1, ...taken, data },
  };
}

/** A checkout at the till that is being paid, and its basket. */
function aTransaction(name: string) {
  const id = `ord_${name}`;
  const till = { channel: 'pos', storeId: 'store-01', transactionId: id, currency: 'EUR', lines: [], vouchers: [] };
  return {
    transaction: { id, ...stamped, state: 'open', storeId: 'store-01', laneId: 'lane-1', tenders: [], asked: [] },
    basket: { id: `bsk_${name}`, ...stamped, state: 'locked', ...till, totals: totalsOf(0, 0) },
  };
}

function aPicking(name: string, status: string, qty: number, pickedQty: number) {
  const lines = [{ orderLineId: 'line-1', sku: 'mug-blue', qty, pickedQty }];
  return { id: `pck_${name}`, ...stamped, fulfillmentOrderId: `ful_${name}`, status, lines };
}

function aReservation(order: string, state: string, qty: number, fulfilledQty: number, cancelledQty = 0) {
  const id = `res_${order}`;
  const allocation = { locationId: 'dc-01', sku: 'mug-blue', qty };
  const allocations = [{ ...allocation, fulfilledQty, cancelledQty }];
  const left = { reference: 'sent', kind: 'consume', allocations: [{ ...allocation, qty: fulfilledQty }] };
  const missing = { reference: 'short', kind: 'write-off', allocations: [{ ...allocation, qty: cancelledQty }] };
  const owner = { basketId: `bsk_${order}`, orderId: `ord_${order}` };
  return {
    reservation: { id, ...stamped, state, ...owner, items: [{ sku: 'mug-blue', qty }], allocations },
    hold: { id, version: 1, state: 'held', allocations: [allocation], moved: cancelledQty === 0 ? [left] : [left, missing] },
  };
}

/** The due work of the objects. */
const promised = [
  ['oms', 'expire-draft', 'ord_new'],
  ['pos', 'expire-transaction', 'ord_till'],
  ['carrier-platform', 'give-up-parcel', 'shp_open'],
] as const;

async function soundData(): Promise<WorldData> {
  const seeded = seedData((await loadFixtures()).at(NOW), NOW);
  const parcelsOf = [aParcel('sent', 'delivered'), aParcel('open', 'in-transit'), aParcel('back', 'returned-to-sender')];
  const copyOf = (name: string) => ({ shipments: [parcelsOf.find(({ copy }) => copy.id === `shp_${name}`)?.copy] });
  const held = [
    aReservation('sent', 'fulfilled', 2, 2),
    aReservation('open', 'confirmed', 4, 2, 1),
    aReservation('back', 'fulfilled', 1, 1),
  ];
  const sent = anOrder('sent', 'completed', 2, { loyaltyAccountId: 'loy_ada' }, { fulfilledQty: 2 });
  const back = anOrder('back', 'cancelled', 1, {}, { cancelledQty: 1 });
  const fulfilments = [
    { ...aFulfillmentOrder('sent', 'sent', 'delivered', { qty: 2, picked: 2 }), ...copyOf('sent') },
    { ...aFulfillmentOrder('open', 'open', 'dispatched', { qty: 3, picked: 2, short: 1 }), ...copyOf('open') },
    aFulfillmentOrder('rest', 'open', 'picking', { qty: 1, picked: 0 }),
    { ...aFulfillmentOrder('back', 'back', 'returned-to-sender', { qty: 1, picked: 1 }), ...copyOf('back') },
  ];
  const pickings = [aPicking('sent', 'packed', 2, 2), aPicking('open', 'packed', 3, 2), aPicking('back', 'packed', 1, 1)];
  const rows: readonly (readonly [Application, AnyCollection, readonly object[]])[] = [
    ['oms', orders, [sent, anOrder('open', 'in-fulfilment', 3), back, anOrder('new', 'draft', 1, { reference: REFERENCE })]],
    ['oms', references, [{ id: 'order shop 1', version: 1, objectId: 'ord_new', content: {} }]],
    ['payment-hub', payments, [aPayment('sent', 2490), aPayment('open', 3490), aPayment('back', 1490, [REFUND])]],
    ['fms', fulfillmentOrders, fulfilments],
    ['fms', parcels, parcelsOf.map(({ parcel }) => parcel)],
    ['carrier-platform', shipments, parcelsOf.map(({ shipment }) => shipment)],
    ['wms', pickingOrders, [...pickings, aPicking('rest', 'open', 1, 0)]],
    ['pos', transactions, [aTransaction('till').transaction]],
    ['ecommerce-platform', baskets, [aTransaction('till').basket]],
    ['sim', reservations, held.map(({ reservation }) => reservation)],
    ['sim', movements, []],
    [
      'loyalty-platform',
      earnings,
      [{ id: 'ord_back', version: 1, takenBack: 0, refunds: [{ id: 'pay_back.refund-1', amount: 1490, booked: false }] }],
    ],
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
      ...seeded.due,
      ...promised.map(([application, kind, key]) => ({ application, kind, key, at: NOW + 1_000, correlationId: 'test', payload: {} })),
    ],
  };
}

const MUG = stockKey('mug-blue', 'dc-01');
const NOTHING = { expect: [], put: [], unique: [], index: [], move: [], guard: [], events: [], due: [] };

// biome-ignore lint/suspicious/noExplicitAny: records are untyped here
export type Patch = object | ((record: any) => object);
type BareRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** The consistent world in a new store, and functions that corrupt it. */
export async function soundWorld() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('sound', await soundData(), { bearer: '', apiKey: '', webhookSecret: '' });
  const objects = objectsOf(registeredApplications.map(({ service }) => service));
  const commit = async (application: Application, plan: Partial<Plan>): Promise<void> => {
    const outcome = await adapter.store(application).commit(world, { ...NOTHING, operation: randomUUID(), last: true, now: NOW, ...plan });
    if (!outcome.ok) throw new Error(`${outcome.why} ${outcome.at}`);
  };
  const ownerOf = (collection: string): Application => {
    const owner = registeredApplications.find(({ service }) => service.collections.some(({ name }) => name === collection));
    if (!owner) throw new Error(`No application has ${collection}.`);
    return owner.service.application;
  };
  const ownerOfCounter = (counter: string): Application => {
    const owner = registeredApplications.find(({ service }) => service.counters.some(({ name }) => name === counter));
    if (!owner) throw new Error(`No application has ${counter}.`);
    return owner.service.application;
  };
  const read = async (collection: string, id: string) => {
    const found = await adapter.store(ownerOf(collection)).object(world, collection, id);
    if (!found) throw new Error(`${collection} has no ${id}.`);
    return { version: found.version, record: JSON.parse(found.json) as object };
  };
  const broken = {
    /** Writes an invalid record under its old version, so that it violates nothing else. */
    async change(collection: string, id: string, patch: Patch): Promise<void> {
      const { version, record } = await read(collection, id);
      const json = JSON.stringify({ ...record, ...(typeof patch === 'function' ? patch(record) : patch) });
      await commit(ownerOf(collection), { put: [{ collection, id, read: version, version, json }] });
    },
    add: (collection: string, record: BareRecord) =>
      commit(ownerOf(collection), {
        put: [{ collection, id: record.id, read: 0, version: 1, json: JSON.stringify({ version: 1, ...record }) }],
      }),
    /** The same record under another id. */
    copy: async (collection: string, id: string, to: BareRecord) =>
      broken.add(collection, { ...(await read(collection, id)).record, ...to }),
    move: (counter: string, by: Readonly<Record<string, number>>, key = MUG) =>
      commit(ownerOfCounter(counter), {
        move: Object.entries(by).map(([field, amount]) => ({ counter, key, field, by: amount })),
      }),
    due: (application: Application, kind: string, key: string, when: number | null = NOW + 1_000, awaits?: Application) =>
      commit(application, { due: [{ kind, key, at: when, payload: '{}', correlationId: 'test', awaits }] }),
    /** Work parked after too many failures. @param awaits the application whose return unparks it */
    async parkDue(application: Application, kind: string, key: string, awaits?: Application): Promise<void> {
      await broken.due(application, kind, key, NOW);
      const item = await adapter.worlds.leaseNext(world, { upTo: NOW, token: 'test', leaseMs: 1_000 });
      if (item?.key !== key) throw new Error(`${item?.key} is due, not ${key}.`);
      await adapter.worlds.requeue(world, item, 'test', { parked: '{"detail":"failed too often"}', awaits });
    },
    /** A delivery whose subscriber depends on an application that was away. */
    async postpone(application: Application, id: string, object: object, awaits: Application): Promise<void> {
      const event = { id, json: JSON.stringify({ correlationid: 'test', data: { object } }) };
      await adapter.store(application).postpone(world, `${application}|${id}`, { event, at: NOW + 1_000, awaits });
    },
    park: (application: Application, eventId: string) => adapter.store(application).park(world, `${application}|${eventId}`, 'poison'),
    /** An event on the bus, as after a commit. */
    async event(application: Application, subject: string, version: number, object: object, to: Application[] = []): Promise<string> {
      const id = `evt_${randomUUID().replaceAll('-', '')}`;
      const type = `com.unified-commerce.ext.${subject.split('/')[0]}-changed`;
      const json = JSON.stringify({ id, type, subject, aggregateversion: version, data: { object } });
      await commit(application, { events: [{ id, topic: 'uc', key: subject, json, subscribers: to }] });
      await adapter.store(application).drain(world, { token: 'relay' });
      await adapter.store(application).drain(world, { token: 'relay', sent: [id] });
      return id;
    },
  };
  // Stock counters that match the orders above.
  await broken.move('stock', { onHand: -5, reserved: 1 });
  await broken.move(unitsMoved.name, { shipped: 5, writtenOff: 1, returned: 1 });
  return { ...broken, verify: () => verifyWorld(adapter.worlds, world, objects) };
}

export type BreakableWorld = Awaited<ReturnType<typeof soundWorld>>;
