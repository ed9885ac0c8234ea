import { expect } from '@jest/globals';
import { DRY, disagreement } from '../support/dry-run.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { MONDAY, onMonday } from '../support/steps/collection.ts';
import { ADDRESS, type Goods } from '../support/steps/order.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

type Rehearsal = Awaited<ReturnType<typeof byHand>>;

const test = testIn(byHand);
const testOnMonday = testIn(() => onMonday());

const ELSEWHERE = { ...ADDRESS, line1: '7 Shop Street', postalCode: 'H91 X2Y3' };

/** The units that the lines of an order have after a change, by SKU. */
const fewer = (order: { lines: { lineId: string; sku: string }[] }, units: Record<string, number>) => ({
  lines: order.lines.flatMap(({ lineId, sku }) => (units[sku] === undefined ? [] : [{ lineId, qty: units[sku] }])),
});

const change = ({ call }: Rehearsal, id: string, body: object, query: Record<string, string> = {}) =>
  call('change-order-api', { params: { id }, body: body as never, query });

/** The answer to a change, which a dry run has predicted. */
async function changed(rehearsal: Rehearsal, id: string, body: object) {
  const dry = await change(rehearsal, id, body, DRY);
  expect((await rehearsal.order(id)).pendingAction).toBeUndefined();
  const real = await change(rehearsal, id, body);
  expect([real.status, disagreement(dry, real)]).toEqual([200, undefined]);
  await rehearsal.settle();
  return {
    order: real.body,
    entry: real.body.changes.at(-1),
    isPredicted: dry.body.answer !== undefined,
    foreseen: dry.body.foreseen?.changes.at(-1),
  };
}

const costOf = async (rehearsal: Rehearsal, id: string) => {
  const { totals, payments } = await rehearsal.order(id);
  return [
    totals.total.amount,
    payments.reduce(
      (sum, one) =>
        sum + (one.state === 'authorised' ? one.authorizedAmount.amount : one.capturedAmount.amount - one.refundedAmount.amount),
      0,
    ),
  ];
};

test('Change Order takes units away, lowers the authorisation and releases the stock', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  const { order: after, entry, isPredicted } = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 2 }));
  // 3 × 12.99 + 4.90 − (2 × 12.99 + 4.90)
  expect([entry.refund, isPredicted]).toEqual([eur(1299), true]);
  expect(entry).toMatchObject({
    what: 'lines',
    removed: [{ sku: 'mug-blue', qty: 1 }],
    before: { total: eur(4387) },
    after: { total: eur(3088) },
  });
  expect(after).toMatchObject({
    state: 'confirmed',
    lines: [{ qty: 2, lineTotal: eur(2598) }],
    payments: [{ state: 'authorised', authorizedAmount: eur(3088) }],
  });
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 2] });
  for (const absent of ['pendingAction', 'compensation']) expect(await rehearsal.order(order.id)).not.toHaveProperty(absent);
  const [amended, ...more] = await rehearsal.events({ type: 'ext.order-amended' });
  expect([amended.data.object.changes, more]).toEqual([[entry], []]);
});

test('A changed order is picked, dispatched and captured with what is left of it', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 1 }));
  const fulfilment = await rehearsal.onlyFulfilment(order.id);
  expect((await rehearsal.api('get-fulfillment-order-api', { params: { id: fulfilment } })).lines).toMatchObject([{ qty: 1 }]);
  const shipment = await rehearsal.dispatched(fulfilment);
  await rehearsal.delivered(shipment);
  expect(await rehearsal.order(order.id)).toMatchObject({
    state: 'completed',
    paymentStatus: 'paid',
    lines: [{ qty: 1, fulfilledQty: 1 }],
  });
  expect(await costOf(rehearsal, order.id)).toEqual([1789, 1789]);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [999, 0] });
});

test.each([
  // Three bars cost 9.00, and two cost 9.00 as well.
  ['the third bar of three for two', { lines: [{ sku: 'chocolate-dark', qty: 3 }] }, { 'chocolate-dark': 2 }, 0, [900, 490]],
  // A fourth bar costs 4.50.
  ['the fourth bar of three for two', { lines: [{ sku: 'chocolate-dark', qty: 4 }] }, { 'chocolate-dark': 3 }, 450, [900, 490]],
  // 2 × 24.50 + 4.50 = 53.50 is free of shipping; 49.00 + 4.90 would be 53.90, so 4.50 of the shipping are charged.
  [
    'the bar that made shipping free',
    {
      lines: [
        { sku: 'bowl-large', qty: 2 },
        { sku: 'chocolate-dark', qty: 1 },
      ],
    },
    { 'chocolate-dark': 0 },
    0,
    [4900, 450],
  ],
  // 189.00 + 12.99 − 20.00 = 181.99; without the mug 189.00, which is capped: the table gets 7.01 off.
  [
    'the mug that reached 200.00',
    {
      lines: [
        { sku: 'table-side', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    },
    { 'mug-blue': 0 },
    0,
    [18199, 0],
  ],
] as const)(
  'A change gives back what the customer would have paid less without %s',
  async (rehearsal, _, goods, units, refund, [left, shipping]) => {
    const order = await rehearsal.confirmed({ ...goods, customerId: 'cus_ben' } as Goods);
    const { order: after, entry } = await changed(rehearsal, order.id, fewer(order, units));
    expect(entry.refund.amount).toBe(refund);
    const goodsLeft = after.lines.reduce((sum: number, { lineTotal }: { lineTotal: { amount: number } }) => sum + lineTotal.amount, 0);
    expect([goodsLeft, after.totals.shipping.amount]).toEqual([left, shipping]);
    expect(await costOf(rehearsal, order.id)).toEqual([left + shipping, left + shipping]);
  },
);

test('A change refunds what was captured before', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  await rehearsal.api('capture-payment-api', { params: { id: order.payments[0]?.id ?? '' } });
  await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 1 }));
  expect(await rehearsal.order(order.id)).toMatchObject({
    payments: [{ state: 'partially-refunded', refundedAmount: eur(2598) }],
    refunds: [{ amount: eur(2598), state: 'succeeded' }],
  });
});

test('A change that removes a line cancels its fulfillment order, and the other one is still delivered', async (rehearsal) => {
  const { order, mugs, desks } = await rehearsal.orderOfTwoNodes();
  await changed(rehearsal, order.id, fewer(order, { 'desk-two-nodes': 0 }));
  expect(await rehearsal.object('fulfillment-order', desks)).toMatchObject({ state: 'cancelled', failureReason: 'changed' });
  await rehearsal.delivered(await rehearsal.dispatched(mugs));
  expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ sku: 'mug-blue', fulfilledQty: 1 }] });
});

test('A change of the address reaches the label, and needs no other price', async (rehearsal) => {
  const order = await rehearsal.confirmed();
  const fulfilment = await rehearsal.onlyFulfilment(order.id);
  await rehearsal.packed(fulfilment);
  const { order: after, entry } = await changed(rehearsal, order.id, { shippingAddress: ELSEWHERE });
  expect([after.shippingAddress, entry.what, entry.refund]).toEqual([ELSEWHERE, 'address', eur(0)]);
  const { shipments } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: fulfilment } });
  await rehearsal.settle();
  expect(shipments).toMatchObject([{ labelStatus: 'ready' }]);
  const [registered] = (await rehearsal.journal()).filter(({ api }) => api === 'put-shipment');
  expect(registered?.request.to).toEqual(ELSEWHERE);
  const late = await change(rehearsal, order.id, { shippingAddress: ADDRESS });
  expect([late.status, late.body.code, late.body.fulfillmentOrderId]).toEqual([409, 'invalid_state_transition', fulfilment]);
  expect((await rehearsal.order(order.id)).shippingAddress).toEqual(ELSEWHERE);
});

test('A cheaper shipping method gives its difference back, and a dearer one is refused', async (rehearsal) => {
  const basket = await rehearsal.checkedOut({}, { shippingMethod: 'EXPRESS' });
  const draft = await rehearsal.draft(basket.id);
  await rehearsal.authorisation(draft.id);
  await rehearsal.confirmed(draft.id);
  const { entry } = await changed(rehearsal, draft.id, { shippingMethod: 'STANDARD' });
  expect(entry).toMatchObject({ what: 'shipping-method', refund: eur(500), before: { shipping: eur(990) }, after: { shipping: eur(490) } });
  const dearer = await change(rehearsal, draft.id, { shippingMethod: 'EXPRESS' });
  expect([dearer.status, dearer.body.errors]).toMatchObject([422, [{ pointer: '/shippingMethod', code: 'costs_more' }]]);
  const fulfilment = await rehearsal.onlyFulfilment(draft.id);
  const shipment = await rehearsal.dispatched(fulfilment);
  expect(await rehearsal.object('shipment', shipment)).toMatchObject({ service: 'STANDARD' });
});

test('An order with an address can be collected instead, and an order to collect can be sent', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 4 });
  const { entry, foreseen } = await changed(rehearsal, order.id, { collection: { locationId: 'store-01', person: 'Ada' } });
  const { readyBy: _promised, ...certain } = entry.after;
  expect(foreseen).toEqual({ ...entry, after: certain, at: foreseen.at });
  expect(entry).toMatchObject({ what: 'collection', refund: eur(0), after: { shipping: eur(0) } });
  const collected = await rehearsal.order(order.id);
  expect(collected).toMatchObject({ collection: { locationId: 'store-01', person: 'Ada' }, lines: [{ nodeId: 'store-01' }] });
  for (const absent of ['shippingAddress', 'shippingMethod', 'pendingAction', 'compensation']) expect(collected).not.toHaveProperty(absent);
  expect(collected.fulfillmentOrders?.map(({ state, locationId }) => [state, locationId])).toEqual([
    ['cancelled', 'dc-01'],
    ['allocated', 'store-01'],
  ]);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0], 'store-01': [50, 4] });
  const moved = await changed(rehearsal, order.id, { collection: { locationId: 'store-02' } });
  expect(moved.order.collection).not.toHaveProperty('person');
  await changed(rehearsal, order.id, { collection: { locationId: 'store-02', person: 'Ben' } });
  const sent = await changed(rehearsal, order.id, { shippingAddress: ELSEWHERE });
  expect(sent.order).toMatchObject({ shippingAddress: ELSEWHERE, shippingMethod: 'STANDARD', totals: { shipping: eur(0) } });
  expect(sent.order).not.toHaveProperty('collection');
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 4], 'store-01': [50, 0], 'store-02': [50, 0] });
  const last = (await rehearsal.order(order.id)).fulfillmentOrders?.at(-1)?.id ?? '';
  await rehearsal.delivered(await rehearsal.dispatched(last));
  expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 4 }] });
});

test('A dry run of a change to a collection foresees the shipping that it gives back', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 2 });
  const { entry, foreseen } = await changed(rehearsal, order.id, { collection: { locationId: 'store-01' } });
  // 2 × 12.99 without 4.90 of shipping. 25.98 instead of 30.88 earn no point less, because shipping earns none.
  expect(foreseen).toMatchObject({ what: 'collection', before: { total: eur(3088) }, after: { total: eur(2598) }, refund: eur(490) });
  expect([foreseen.refund, foreseen.points]).toEqual([entry.refund, entry.points]);
});

test('Change Order refuses what it cannot do, names the remedy, and changes nothing', async (rehearsal) => {
  const order = await rehearsal.confirmed({
    lines: [
      { sku: 'mug-blue', qty: 2 },
      { sku: 'chocolate-dark', qty: 1 },
    ],
  });
  const [mugs, bar] = order.lines.map(({ lineId }) => lineId);
  const refused = async (body: object) => {
    const dry = await change(rehearsal, order.id, body, DRY);
    const real = await change(rehearsal, order.id, body);
    expect(disagreement(dry, real)).toBeUndefined();
    return [real.status, real.body.errors?.[0]?.code ?? real.body.code, real.body.errors?.[0]?.pointer];
  };
  expect(await refused({ lines: [{ lineId: mugs, qty: 3 }] })).toEqual([422, 'more_units', '/lines/0/qty']);
  expect(
    await refused({
      lines: [
        { lineId: mugs, qty: 0 },
        { lineId: bar, qty: 0 },
      ],
    }),
  ).toEqual([422, 'nothing_left', '/lines']);
  expect(await refused({ lines: [{ lineId: 'other', qty: 0 }] })).toEqual([422, 'unknown_line', '/lines/0/lineId']);
  expect(
    await refused({
      lines: [
        { lineId: mugs, qty: 1 },
        { lineId: mugs, qty: 1 },
      ],
    }),
  ).toEqual([422, 'repeated', '/lines/1/lineId']);
  expect(await refused({ lines: [{ lineId: mugs, qty: -1 }] })).toMatchObject({ 0: 422 });
  expect(await refused({ shippingMethod: 'EXPRESS' })).toEqual([422, 'costs_more', '/shippingMethod']);
  expect(await refused({ collection: { locationId: 'dc-01' } })).toEqual([422, 'no_collection', '/collection/locationId']);
  expect(await refused({ shippingMethod: 'STANDARD', shippingAddress: ELSEWHERE })).toMatchObject({ 0: 422 });
  expect(await refused({})).toMatchObject({ 0: 422 });
  expect(await rehearsal.order(order.id)).toEqual(order);
  const stale = await rehearsal.call('change-order-api', {
    params: { id: order.id },
    body: { shippingAddress: ELSEWHERE },
    headers: { 'if-match': '"1"' },
  });
  expect(stale.status).toBe(412);
});

test('Change Order refuses fewer units and other deliveries once the warehouse has begun', async (rehearsal) => {
  const { order, mugs } = await rehearsal.orderOfTwoNodes();
  await rehearsal.picked(mugs, 'started');
  for (const body of [fewer(order, { 'mug-blue': 0 }), fewer(order, { 'desk-two-nodes': 1 }), { collection: { locationId: 'store-01' } }]) {
    const { status, body: problem } = await change(rehearsal, order.id, body);
    expect([status, problem.code, problem.pendingAction]).toEqual([409, 'invalid_state_transition', undefined]);
  }
  expect((await rehearsal.order(order.id)).changes).toBeUndefined();
});

test.each([
  ['a draft', (rehearsal: Rehearsal) => rehearsal.draft()],
  [
    'a cancelled order',
    async (rehearsal: Rehearsal) => {
      const { id } = await rehearsal.confirmed();
      await rehearsal.cancel(id);
      return rehearsal.order(id);
    },
  ],
] as const)('Change Order refuses %s', async (rehearsal, _, open) => {
  const order = await open(rehearsal);
  const { status, body } = await change(rehearsal, order.id, fewer(order, { 'mug-blue': 1 }));
  expect([status, body]).toMatchObject([409, { code: 'invalid_state_transition', allowedFrom: ['confirmed', 'in-fulfilment'] }]);
});

test('A repeated change changes nothing, and a change after a change counts from there', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 4 });
  const first = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 3 }));
  const again = await change(rehearsal, order.id, fewer(order, { 'mug-blue': 3 }));
  expect([again.status, again.body.version]).toEqual([200, first.order.version]);
  const second = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 1 }));
  // 3 × 12.99 + 4.90 − (12.99 + 4.90), and 4 × 12.99 were free of shipping.
  expect(second.order.changes.map(({ refund }: { refund: { amount: number } }) => refund.amount)).toEqual([809, 2598]);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 1] });
});

test('A change to a collection that the FMS cannot answer leaves no reservation behind', async (rehearsal) => {
  const { id } = await rehearsal.confirmed();
  const body = { collection: { locationId: 'store-01' } };
  await rehearsal.down('fms');
  expect((await change(rehearsal, id, body)).status).toBe(503);
  await rehearsal.settle();
  const standing = await rehearsal.order(id);
  for (const absent of ['pendingAction', 'compensation', 'changes', 'collection']) expect(standing).not.toHaveProperty(absent);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 2], 'store-01': [50, 0] });
  await rehearsal.noFaults();
  await changed(rehearsal, id, body);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0], 'store-01': [50, 2] });
});

test('A change to a store without the goods is refused, and the order stays as it was', async (rehearsal) => {
  const order = await rehearsal.confirmed({ lines: [{ sku: 'lamp-last-one', qty: 1 }] });
  const { status, body } = await change(rehearsal, order.id, { collection: { locationId: 'store-01' } });
  expect([status, body.code]).toEqual([409, 'insufficient_stock']);
  await rehearsal.settle();
  const { version: _before, updatedAt: _then, ...standing } = order;
  expect(await rehearsal.order(order.id)).toMatchObject(standing);
});

test('A change to a collection and back keeps the discounts of the order, whatever its customer gets today', async (rehearsal) => {
  const order = await rehearsal.confirmed({ lines: [{ sku: 'blanket-wool', qty: 1 }], customerId: 'cus_ada' });
  await rehearsal.api('issue-loyalty-points-api', {
    params: { id: 'loy_ada' },
    body: { points: 5_000, reason: 'jubilee', reference: 'jubilee' },
  });
  await rehearsal.settle();
  const collected = await changed(rehearsal, order.id, { collection: { locationId: 'store-01' } });
  // 89.00 less 15 %, and nothing for a member of silver.
  expect([collected.order.totals.total, collected.entry.refund]).toEqual([eur(7565), eur(0)]);
  const sent = await changed(rehearsal, order.id, { shippingAddress: ELSEWHERE });
  expect(sent.order.lines).toMatchObject([{ lineTotal: eur(7565) }]);
});

test('Fewer units keep the discount of the member at the checkout', async (rehearsal) => {
  const order = await rehearsal.confirmed({ lines: [{ sku: 'teapot-stone', qty: 3 }], customerId: 'cus_clara' });
  const { order: after } = await changed(rehearsal, order.id, fewer(order, { 'teapot-stone': 2 }));
  // 2 × 49.00 less 5 %
  expect(after.totals.total).toEqual(eur(9310));
});

test('A change keeps the tax rates of the checkout, whatever the rate of the product is today', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  await rehearsal.control('change-product-by-hand', { params: { id: 'mug-blue' }, body: { taxRate: 9 } });
  const { order: fewerUnits } = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 1 }));
  // 23 % are contained in 12.99.
  expect(fewerUnits.lines).toMatchObject([{ lineTotal: eur(1299), tax: eur(243) }]);
  const { order: collected } = await changed(rehearsal, order.id, { collection: { locationId: 'store-01' } });
  expect(collected.totals).toMatchObject({ total: eur(1299), tax: eur(243) });
});

testOnMonday('A change keeps the promotions and vouchers of the checkout, although they ended before the order', async (rehearsal) => {
  const activeTo = new Date(Date.parse(MONDAY) + 5 * 60_000).toISOString();
  await rehearsal.control('change-promotion-by-hand', { params: { id: 'prm_lamp-desk-minus-10' }, body: { activeTo } });
  await rehearsal.control('change-voucher-by-hand', { params: { id: 'WELCOME10' }, body: { activeTo } });
  const { id: basketId } = await rehearsal.basket({ lines: [{ sku: 'lamp-desk', qty: 3 }] });
  await rehearsal.checkOut(basketId, { voucherCodes: ['WELCOME10'] });
  await rehearsal.advance('PT10M');
  const { id: orderId } = await rehearsal.api('create-order-api', { body: { basketId } });
  await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card() } });
  const order = (await rehearsal.confirm(orderId)).body;
  // 3 × 49.90 less 10 %; then 49.90 less 10 %, and 4.90
  const { order: after, entry } = await changed(rehearsal, orderId, fewer(order, { 'lamp-desk': 1 }));
  expect([order.totals.total, after.totals.total, entry.refund]).toEqual([eur(13473), eur(4981), eur(8492)]);
});

test('A change after a refund as goodwill leaves the order paid, and it is dispatched', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  const paymentId = order.payments[0]?.id ?? '';
  await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
  expect((await rehearsal.refund(paymentId, 500)).status).toBe(201);
  const { entry } = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 2 }));
  // 43.87 less the goodwill of 5.00 were kept, and two mugs cost 30.88.
  expect([entry.before.total, entry.after.total, entry.refund]).toEqual([eur(4387), eur(3088), eur(799)]);
  expect(await costOf(rehearsal, order.id)).toEqual([3088, 3088]);
  await rehearsal.dispatched(await rehearsal.onlyFulfilment(order.id));
  await rehearsal.verify();
});

test('A change after a refund of everything as goodwill gives nothing back', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  const paymentId = order.payments[0]?.id ?? '';
  await rehearsal.api('capture-payment-api', { params: { id: paymentId } });
  await rehearsal.refund(paymentId, 4387);
  const { entry } = await changed(rehearsal, order.id, fewer(order, { 'mug-blue': 2 }));
  expect(entry.refund).toEqual(eur(0));
  expect(await costOf(rehearsal, order.id)).toEqual([3088, 0]);
  await rehearsal.verify();
});

testOnMonday('A change of an order that is paid when it is collected gives nothing back before it is paid', async (rehearsal) => {
  const lines = [{ sku: 'mug-blue', qty: 3 }];
  const { orderId = '' } = await rehearsal.collected({ locationId: 'store-01' }, lines, { payAt: 'collection' });
  await rehearsal.api('confirm-order-api', { params: { id: orderId } });
  const order = await rehearsal.order(orderId);
  const { entry } = await changed(rehearsal, orderId, fewer(order, { 'mug-blue': 2 }));
  expect([entry.before.total, entry.after.total, entry.refund]).toEqual([eur(3897), eur(2598), eur(0)]);
  await rehearsal.verify();
});

test('The address of an order changes while its stock cannot be allocated yet', async (rehearsal) => {
  await rehearsal.fault('no-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'outage' } });
  const order = await rehearsal.confirmed({ qty: 1 });
  const id = await rehearsal.onlyFulfilment(order.id);
  expect((await change(rehearsal, order.id, { shippingAddress: ELSEWHERE })).status).toBe(200);
  await rehearsal.settle();
  const read = () => rehearsal.api('get-fulfillment-order-api', { params: { id } });
  expect(await read()).toMatchObject({ state: 'created', version: 2 });
  await rehearsal.noFaults();
  await rehearsal.advance('PT1H');
  expect((await read()).state).not.toBe('created');
  expect((await rehearsal.order(order.id)).shippingAddress).toEqual(ELSEWHERE);
});

test('A repeat of a change that is made answers 200 while another action is pending, and a third change is refused', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  const [two, one] = [fewer(order, { 'mug-blue': 2 }), fewer(order, { 'mug-blue': 1 })];
  await changed(rehearsal, order.id, two);
  await rehearsal.fault('lost', { match: { api: 'change-fulfillment' }, fault: { kind: 'lost-response' } });
  expect((await change(rehearsal, order.id, { shippingAddress: ELSEWHERE })).status).toBe(504);
  const repeated = await change(rehearsal, order.id, two);
  expect(repeated).toMatchObject({ status: 200, body: { pendingAction: { action: 'change' }, lines: [{ qty: 2 }] } });
  expect((await change(rehearsal, order.id, one)).body).toMatchObject({ code: 'invalid_state_transition', retryable: true });
  await rehearsal.noFaults();
  await rehearsal.advance('PT1M');
  const after = await rehearsal.order(order.id);
  expect([after.changes?.map(({ what }) => what), after.pendingAction]).toEqual([['lines', 'address'], undefined]);
});
