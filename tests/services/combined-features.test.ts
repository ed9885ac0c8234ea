import { expect } from '@jest/globals';
import { DRY, disagreement } from '../support/dry-run.ts';
import { playJourneys } from '../support/steps/after-order.ts';
import { onMonday } from '../support/steps/collection.ts';
import { external, givenOrder } from '../support/steps/given.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { payingAtCounter } from '../support/steps/pay-at-counter.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(() => onMonday());
type Rehearsal = Awaited<ReturnType<typeof onMonday>>;

/** A mug for 10.00, and a cup for nothing. */
const WITH_PRESENT = {
  lines: [
    { sku: 'mug-blue', qty: 1, unitPrice: eur(1_000) },
    { sku: 'espresso-cup', qty: 1, unitPrice: eur(0) },
  ],
  discount: undefined,
  shipping: undefined,
  tax: undefined,
  total: eur(1_000),
};

/** A confirmed order whose change to the present alone is `onlyPresent`. */
async function orderWithPresent({ api, settle }: Rehearsal, tender: ReturnType<typeof external> | ReturnType<typeof card>) {
  const { id, lines } = await api('create-order-api', { body: givenOrder('#present', WITH_PRESENT) });
  const payment = await api('authorize-payment-api', { body: { orderId: id, tender } });
  await api('confirm-order-api', { params: { id } });
  await settle();
  return { id, payment, onlyPresent: { lines: [{ lineId: lines[0]?.lineId ?? '', qty: 0 }] } };
}

const paymentStates = async ({ order }: Rehearsal, id: string) => (await order(id)).payments.map(({ state }) => state);

test('An authorisation that cannot be lowered is voided when a change leaves an order that costs nothing', async (rehearsal) => {
  const { call, settle, order, dispatched, delivered, verify } = rehearsal;
  const { id, onlyPresent: body } = await orderWithPresent(rehearsal, external());
  const dry = await call('change-order-api', { params: { id }, body, query: DRY });
  const real = await call('change-order-api', { params: { id }, body });
  expect([real.status, disagreement(dry, real)]).toEqual([200, undefined]);
  await settle();
  await verify();
  const routed = (await order(id)).fulfillmentOrders?.find(({ state }) => state !== 'cancelled');
  await delivered(await dispatched(routed?.id ?? ''));
  await settle();
  expect(await order(id)).toMatchObject({ state: 'completed', totals: { total: eur(0) } });
  expect(await paymentStates(rehearsal, id)).toEqual(['voided']);
  await verify();
});

test('A captured payment is refunded when a change leaves an order that costs nothing, although the Payment Hub was down', async (rehearsal) => {
  const { api, call, fault, settle, advance, verify } = rehearsal;
  const { id, payment, onlyPresent: body } = await orderWithPresent(rehearsal, card());
  await api('capture-payment-api', { params: { id: payment.id } });
  await settle();
  await fault('down', { match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 2 });
  expect((await call('change-order-api', { params: { id }, body })).status).toBe(200);
  await settle();
  await advance('PT5M');
  expect(await paymentStates(rehearsal, id)).toEqual(['fully-refunded']);
  await verify();
});

/** A confirmed order that its customer has moved to another delivery, and its only open fulfillment order. */
async function moved({ basket, api, authorisation, settle, order }: Rehearsal, { from, to }: { from: object; to: object }) {
  const { id } = await basket({ lines: [{ sku: 'mug-blue', qty: 4 }] });
  const { orderId = '' } = await api('checkout-basket-api', { params: { id }, body: { ...from, placeOrder: true } as never });
  await authorisation(orderId);
  await api('confirm-order-api', { params: { id: orderId } });
  await api('change-order-api', { params: { id: orderId }, body: to as never });
  await settle();
  const open = (await order(orderId)).fulfillmentOrders?.find(({ state }) => state !== 'cancelled');
  return { orderId, first: open?.id ?? '' };
}

const TO_ADDRESS = { shippingAddress: ADDRESS };
const TO_STORE = { collection: { locationId: 'store-01' } };

test('Goods of a moved collection that are put back are free again, although another part was collected', async (rehearsal) => {
  const { api, order, short, settle, ready, scanned, fulfilment, handOver, advance, stockOf, verify } = rehearsal;
  const { orderId, first } = await moved(rehearsal, { from: TO_ADDRESS, to: TO_STORE });
  const picking = await short(await order(orderId), first, 3);
  await settle();
  const second = (await order(orderId)).fulfillmentOrders?.find(({ id, state }) => id !== first && state !== 'cancelled')?.id ?? '';
  await api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
  await api('dispatch-fulfillment-order-api', { params: { id: first } });
  await ready(second);
  await settle();
  const shipmentId = (await fulfilment(second)).shipments[0]?.id ?? '';
  await scanned(shipmentId, 'collect', 'depart', 'out-for-delivery', 'deliver');
  await handOver(second, { code: (await fulfilment(second)).collection?.code });
  await advance('P10D');
  expect(await order(orderId)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 3 }] });
  expect((await stockOf('mug-blue'))['store-01']).toEqual([49, 0]);
  await verify();
});

test('Dispatched goods of a moved order leave the stock, although it is cancelled before the SIM counts them', async (rehearsal) => {
  const { call, order, packed, fault, noFaults, fulfilment, lost, settle, advance, stockOf, verify } = rehearsal;
  const { orderId, first } = await moved(rehearsal, { from: TO_STORE, to: TO_ADDRESS });
  await packed(first);
  await fault('down', { match: { api: 'move-reservation' }, fault: { kind: 'outage' } });
  expect((await call('dispatch-fulfillment-order-api', { params: { id: first } })).status).toBe(200);
  await lost((await fulfilment(first)).shipments[0]?.id ?? '');
  await settle();
  expect((await order(orderId)).state).toBe('cancelled');
  await noFaults();
  await advance('PT1H');
  expect((await stockOf('mug-blue'))['dc-01']).toEqual([996, 0]);
  await verify();
});

testIn(() => payingAtCounter({}, { replaceLostWithin: 'P2D' }))(
  'A store does not hand over lost goods that their customer would have paid at the collection, and their replacement is paid there',
  async ({ call, confirmedToPay, packed, ready, handOver, openTill, api, fulfilment, lost, order, settle, advance, verify }) => {
    const { orderId, fulfillmentOrderId: id } = await confirmedToPay([{ sku: 'espresso-cup', qty: 23 }]);
    await packed(id);
    await api('dispatch-fulfillment-order-api', { params: { id } });
    await settle();
    await lost((await fulfilment(id)).shipments[0]?.id ?? '');
    const [line] = (await order(orderId)).lines;
    const replace = (more: object) =>
      call('create-replacement-api', {
        params: { id: orderId },
        body: { lines: [{ orderLineId: line?.lineId ?? '', qty: 5 }], reason: 'lost', ...more },
      });
    const { status, body } = await replace({ storeId: 'store-01' });
    expect([status, body]).toMatchObject([409, { code: 'payment_incomplete', id: orderId, outstanding: eur(18_585) }]);
    expect((await replace({})).status).toBe(201);
    await settle();
    const second = (await order(orderId)).fulfillmentOrders?.at(-1)?.id ?? '';
    await ready(second);
    const { collection } = await fulfilment(second);
    expect((await handOver(second, { code: collection?.code })).body).toMatchObject({
      code: 'payment_incomplete',
      outstanding: eur(18_585),
    });
    expect((await openTill(orderId)).status).toBe(201);
    await advance('P1D');
    await verify();
  },
);

test('An order with given prices is changed and returned in part, and a mug of another order is replaced', async (rehearsal) => {
  await playJourneys(rehearsal);
  await rehearsal.verify();
});
