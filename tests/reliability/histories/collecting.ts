import fc from 'fast-check';
import { ADDRESS } from '../../support/estate.ts';
import { about, kind, note, notePayment, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';

const store = fc.constantFrom('store-01', 'store-01', 'store-02');
const person = orNot(fc.constantFrom('Ben Collector', 'Cara Stranger'));

const payAt = orNot(fc.constantFrom('collection' as const, 'collection' as const, 'checkout' as const));
const shortage = orNot(fc.constantFrom('cancel' as const, 'elsewhere' as const));
const payingAt = (given: { payAt: 'collection' | 'checkout' | null; shortage: 'cancel' | 'elsewhere' | null }) => ({
  ...(given.payAt !== null && { payAt: given.payAt }),
  ...(given.shortage !== null && { shortage: given.shortage }),
});

const placeOf = ({ store: locationId, person: named }: { store: string; person: string | null }) => ({
  locationId,
  ...(named !== null && { person: named }),
});

/** The ways of a parcel to a store. */
const JOURNEYS = [
  ['collect', 'depart', 'out-for-delivery', 'deliver'],
  ['collect', 'depart', 'out-for-delivery', 'deliver'],
  ['collect', 'depart', 'out-for-delivery', 'attempt', 'deliver'],
  ['collect', 'lose'],
  ['collect', 'lose', 'find'],
  ['collect', 'depart', 'out-for-delivery', 'attempt', 'return'],
  ['collect'],
] as const;

/** From a basket to a confirmed order that is collected. @returns its fulfillment order */
type Order = { sku: string; qty: number; store: string; person: string | null } & Parameters<typeof payingAt>[0];

async function placed({ ask, things }: RunningHistory, given: Order) {
  const body = { channel: 'web' as const, customerId: 'cus_ada', lines: [{ sku: given.sku, qty: given.qty }] };
  const basket = await ask('create-basket-api', { body });
  note(things.baskets, basket);
  if (basket.status !== 201) return undefined;
  const checkout = { collection: placeOf(given), placeOrder: true, ...payingAt(given) };
  const { status, body: locked } = await ask('checkout-basket-api', { params: { id: basket.body.id }, body: checkout });
  if (status >= 300 || locked.orderId === undefined) return undefined;
  if (!things.orders.includes(locked.orderId)) things.orders.push(locked.orderId);
  const tender = { type: 'card' as const, token: 'tok_visa' };
  if (locked.payAt === undefined) notePayment(things, await ask('authorize-payment-api', { body: { orderId: locked.orderId, tender } }));
  const confirmed = await ask('confirm-order-api', { params: { id: locked.orderId } });
  return confirmed.body?.fulfillmentOrders?.[0] as { readonly id: string } | undefined;
}

/** Prepares the goods of a fulfillment order, and puts them on the counter or sends them. @returns the dispatched fulfillment order */
async function putOut({ ask, things }: RunningHistory, { id, short }: { id: string; short: boolean }) {
  const picking = await ask('create-picking-order-api', { body: { fulfillmentOrderId: id } });
  if (picking.status >= 300) return undefined;
  if (picking.status === 201) things.pickings.push(picking.body);
  const params = { id: String(picking.body.id) };
  const lines = (picking.body.lines as { orderLineId: string; qty: number }[]).map(({ orderLineId, qty: wanted }, index) => ({
    orderLineId,
    pickedQty: index === 0 ? wanted - 1 : wanted,
  }));
  await ask('update-picking-status-api', { params, body: { status: 'started' } });
  await ask('update-picking-status-api', { params, body: short ? { status: 'short', lines } : { status: 'picked' } });
  await ask('update-picking-status-api', { params, body: { status: 'packed' } });
  const { body } = await ask('dispatch-fulfillment-order-api', { params: { id }, body: {} });
  return body as { readonly shipments?: readonly { readonly id: string }[] } | undefined;
}

/** Acts of customers who collect their orders, and of the staff of stores. */
export const collecting = {
  points: kind({ sku, qty }, ({ ask }, given) =>
    ask('list-collection-points-api', { query: { sku: given.sku, qty: String(given.qty), near: '53.3,-8' } }),
  ),
  work: kind({ store }, async ({ ask }, given) => {
    await ask('list-picking-orders-api', { query: { locationId: given.store } });
    await ask('list-collections-api', { query: { locationId: given.store, status: 'waiting' } });
    await ask('list-collections-api', { query: { customerId: 'cus_ada' } });
  }),
  /** From a basket to a confirmed order that is collected, or to its goods at the counter. */
  collect: kind({ sku, qty, store, person, isPutOut: fc.boolean(), payAt, shortage }, async (history, given) => {
    const found = await placed(history, given);
    if (!found || !given.isPutOut) return;
    history.things.fulfillmentOrders.push(found.id);
    await putOut(history, { id: found.id, short: false });
  }),
  /** From a basket of more units than a store has to their arrival there, or to another end of their parcel. */
  'collect-from-warehouse': kind(
    {
      store,
      qty: fc.integer({ min: 51, max: 55 }),
      short: fc.boolean(),
      shortage,
      journey: fc.constantFrom<readonly string[]>(...JOURNEYS),
    },
    async (history, given) => {
      const { ask, play, things } = history;
      const found = await placed(history, { ...given, sku: 'mug-blue', person: null, payAt: null });
      if (!found) return;
      things.fulfillmentOrders.push(found.id);
      const sent = await putOut(history, { id: found.id, short: given.short });
      const [parcel] = sent?.shipments ?? [];
      if (!parcel) return;
      things.parcels.push(parcel.id);
      for (const scan of given.journey) await play('POST', `shipments/${parcel.id}/${scan}`);
      const { body } = await ask('get-fulfillment-order-api', { params: { id: found.id } });
      if (given.short && body.collection?.code)
        await ask('hand-over-collection-api', { params: { id: found.id }, body: { code: body.collection.code } });
      // Another location serves the short units.
      const { body: order } = await ask('get-order-api', { params: { id: body.orderId } });
      for (const { id } of order.fulfillmentOrders ?? []) if (!things.fulfillmentOrders.includes(id)) things.fulfillmentOrders.push(id);
    },
  ),
  /** Checks out to a store, or back to an address. */
  'change-place': kind({ of, store, person, isSent: fc.constantFrom(false, false, true), payAt, shortage }, ({ ask, things }, given) =>
    about(things.baskets, given.of, (id) =>
      ask('checkout-basket-api', {
        params: { id },
        body: given.isSent ? { shippingAddress: ADDRESS } : { collection: placeOf(given), ...payingAt(given) },
      }),
    ),
  ),
  'put-out': kind({ of, short: fc.constantFrom(false, false, true) }, (history, given) =>
    about(history.things.fulfillmentOrders, given.of, async (id) => {
      await putOut(history, { ...given, id });
    }),
  ),
  'hand-over': kind(
    { of, by: fc.constantFrom('code', 'code', 'wrong', 'person'), refuses: fc.boolean(), names: fc.boolean() },
    ({ ask, things }, given) =>
      about(things.fulfillmentOrders, given.of, async (id) => {
        const { body: found } = await ask('get-fulfillment-order-api', { params: { id } });
        const { code = '123456', person: named = 'Ben Collector' } = found.collection ?? {};
        const wrong = code === '000000' ? '111111' : '000000';
        const body = given.by === 'person' ? { orderId: found.orderId, person: named } : { code: given.by === 'wrong' ? wrong : code };
        const refused = (found.lines ?? []).map(({ orderLineId }: { orderLineId: string }) => ({
          orderLineId,
          qty: 1,
          reason: 'Too blue',
        }));
        const [first] = refused;
        const units = {
          ...(given.refuses && { refused }),
          ...(given.names && first && { lines: [{ orderLineId: first.orderLineId, qty: 1 }] }),
        };
        await ask('hand-over-collection-api', { params: { id }, body: { ...body, ...units } });
      }),
  ),
  'show-code': kind({ of }, ({ ask, things, rehearsal }, given) =>
    about(things.fulfillmentOrders, given.of, async (id) => {
      const { body: found } = await ask('get-fulfillment-order-api', { params: { id } });
      const [file, name] = String(found.collection?.qrUrl).split('/').reverse();
      if (file !== undefined && name === rehearsal.name) await ask('collection-code', { params: { rehearsal: name, file } });
    }),
  ),
  extend: kind({ of }, ({ ask, things }, given) =>
    about(things.fulfillmentOrders, given.of, (id) => ask('extend-collection-api', { params: { id } })),
  ),
};
