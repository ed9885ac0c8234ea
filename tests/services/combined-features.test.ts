import { expect } from '@jest/globals';
import { DRY, disagreement } from '../support/dry-run.ts';
import { onMonday } from '../support/steps/collection.ts';
import { external, givenOrder } from '../support/steps/given.ts';
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
