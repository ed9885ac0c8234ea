import { describe, expect } from '@jest/globals';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { TTL } from '../support/steps/order.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const LAST_ONE = { sku: 'lamp-last-one', qty: 1 } as const;
const CONFIRMED = ['order-created v1', 'ext.order-changed v2', 'order-confirmed v3'];
const lost = (api: string) => ({ match: { api }, fault: { kind: 'lost-response' }, times: 1 }) as const;

const opened = () => newRehearsal({ warehouse: 'manual' });
const test = testIn(opened);

describe('Confirm Order', () => {
  test('Confirm Order confirms the reservation of a paid draft, and each line gets its node', async (rehearsal) => {
    const draft = await rehearsal.authorised({ qty: 2 });
    const { status, body } = await rehearsal.confirm(draft.id);
    expect([status, body]).toMatchObject([200, { state: 'confirmed', paymentStatus: 'authorised', payments: [{ state: 'authorised' }] }]);
    expect(body.lines).toEqual([{ ...draft.lines[0], nodeId: 'dc-01' }]);
    expect(body).not.toHaveProperty('pendingAction');
    expect(await rehearsal.order(draft.id)).toEqual(body);
    const reservation = await rehearsal.object('reservation', draft.lines[0].reservationId);
    expect(reservation).toMatchObject({ state: 'confirmed', orderId: draft.id });
    expect(reservation).not.toHaveProperty('expiresAt');
    expect(await rehearsal.orderEvents(draft.id)).toEqual(CONFIRMED);
    const [{ data }] = await rehearsal.events({ type: 'order-confirmed' });
    expect(data.previousState).toBe('draft');
    expect(data.object).not.toHaveProperty('voucherCodes');
    await rehearsal.advance('PT1H');
    expect(await rehearsal.reserved('mug-blue')).toBe(2);
    expect(await rehearsal.confirm(draft.id)).toMatchObject({ status: 200, body: { version: body.version } });
    expect(await rehearsal.orderEvents(draft.id)).toEqual(CONFIRMED);
  });

  test.each(['drop', 'lost-response'] as const)(
    'A Confirm Order that gets no answer to its reads (%s) changes nothing, and only a repeat continues it',
    async (rehearsal, kind) => {
      for (const api of ['get-customer-api', 'list-payments']) {
        const { id, version } = await rehearsal.authorised();
        await rehearsal.fault('unread', { match: { api }, fault: { kind }, times: 1 });
        expect([502, 504]).toContain((await rehearsal.confirm(id)).status);
        await rehearsal.noFaults();
        await rehearsal.advance('PT2M');
        const draft = await rehearsal.order(id);
        expect(draft).toMatchObject({ state: 'draft', version, payments: [{ state: 'authorised' }] });
        expect(draft).not.toHaveProperty('pendingAction');
        expect((await rehearsal.confirm(id)).body).toMatchObject({ state: 'confirmed' });
      }
    },
  );

  test('Confirm Order redeems the vouchers of the order, even if the Promotion Engine is down at first', async (rehearsal) => {
    const { id } = await rehearsal.authorised({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    await rehearsal.down('promotion-engine');
    expect((await rehearsal.confirm(id)).body).toMatchObject({ state: 'confirmed' });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    const hops = await rehearsal.journal();
    const uses = hops.filter(({ api, status }) => api === 'record-voucher-use' && status === 200).map(({ request }) => request.state);
    expect(uses).toEqual(['locked', 'redeemed']);
  });

  test('Confirm Order names the outstanding amount; authorised and captured tenders count together, pending ones do not', async (rehearsal) => {
    const { id, totals } = await rehearsal.draft();
    const { amount: total } = totals.total;
    const refuses = async (outstanding: number) => {
      const { status, body } = await rehearsal.confirm(id);
      expect([status, body]).toMatchObject([409, { code: 'payment_incomplete', objectType: 'order', id, outstanding: eur(outstanding) }]);
    };
    await refuses(total);
    const first = await rehearsal.authorisation(id, 1000);
    await rehearsal.api('capture-payment-api', { params: { id: first.id } });
    await refuses(total - 1000);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', version: 1, paymentStatus: 'unpaid' });
    await rehearsal.authorisation(id, 500, 'tok_async_approve');
    await rehearsal.authorisation(id);
    await refuses(500);
    await rehearsal.advance('PT2M');
    expect((await rehearsal.confirm(id)).body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
  });

  test('Confirm Order refuses an outdated version only before its intent; a repeat with the same key continues', async (rehearsal) => {
    const { id, version } = await rehearsal.authorised();
    await rehearsal.fault('lost', lost('confirm-reservation-api'));
    const confirmAsRead = (key: string) => rehearsal.confirm(id, { 'if-match': `"${version}"`, 'idempotency-key': key });
    expect((await confirmAsRead('mine')).status).toBe(504);
    expect((await confirmAsRead('other')).status).toBe(412);
    expect(await confirmAsRead('mine')).toMatchObject({ status: 200, body: { state: 'confirmed' } });
  });

  test('Confirm Order with If-Match ignores changes that other requests make after its intent', async (rehearsal) => {
    const { id, version } = await rehearsal.authorised();
    await rehearsal.fault('slow', { match: { api: 'confirm-reservation-api' }, fault: { kind: 'latency', ms: 700 }, times: 1 });
    const first = rehearsal.confirm(id, { 'if-match': `"${version}"` });
    await eventually('the intent', async () => (await rehearsal.order(id)).pendingAction);
    expect((await rehearsal.confirm(id)).body.state).toBe('confirmed');
    expect(await first).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    expect(await rehearsal.orderEvents(id)).toEqual(CONFIRMED);
  });
});

describe('Confirm Order of an order without its reservation', () => {
  test.each(['expired', 'was released'])('A reservation that %s is replaced once, for all lines', async (rehearsal, how) => {
    const { id, lines } = await rehearsal.authorised({ qty: 3 });
    const [{ reservationId }] = lines;
    if (how === 'expired') await rehearsal.advance(TTL);
    else await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
    const { status, body } = await rehearsal.confirm(id);
    expect([status, body.state, body.lines[0].nodeId]).toEqual([200, 'confirmed', 'dc-01']);
    expect(body.lines[0].reservationId).not.toBe(reservationId);
    expect(await rehearsal.object('reservation', body.lines[0].reservationId)).toMatchObject({ state: 'confirmed', orderId: id });
    await rehearsal.advance('PT1H');
    expect(await rehearsal.reserved('mug-blue')).toBe(3);
  });

  test('An order whose goods are sold is refused: authorisations are voided, and it can be confirmed again', async (rehearsal) => {
    const { id, lines } = await rehearsal.authorised(LAST_ONE);
    await rehearsal.advance(TTL);
    await rehearsal.checkedOut({ ...LAST_ONE, customerId: 'cus_ben' });
    const skus = [{ sku: 'lamp-last-one', requested: 1, available: 0 }];
    const { status, body } = await rehearsal.confirm(id);
    expect([status, body]).toMatchObject([409, { code: 'reservation_expired', objectType: 'order', id, retryable: false, skus }]);
    expect(body.lines).toMatchObject([{ lineId: lines[0].lineId, ...LAST_ONE }]);
    const refused = await rehearsal.order(id);
    expect(refused).toMatchObject({ state: 'draft', paymentStatus: 'unpaid', payments: [{ state: 'voided' }] });
    expect(refused.lines[0]).not.toHaveProperty('reservationId');
    for (const absent of ['compensation', 'pendingAction']) expect(refused).not.toHaveProperty(absent);
    await rehearsal.authorisation(id);
    expect((await rehearsal.confirm(id)).body).toMatchObject({ code: 'insufficient_stock', skus });
    expect((await rehearsal.order(id)).payments).toMatchObject([{ state: 'voided' }, { state: 'voided' }]);
    await rehearsal.verify();
    await rehearsal.advance(TTL);
    await rehearsal.authorisation(id);
    expect((await rehearsal.confirm(id)).body).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect(await rehearsal.reserved('lamp-last-one')).toBe(1);
  });

  test('The authorisations of a refused order no longer count, and are voided when the Payment Hub is back', async (rehearsal) => {
    const { id } = await rehearsal.authorised(LAST_ONE);
    await rehearsal.advance(TTL);
    const { id: other } = await rehearsal.checkedOut({ ...LAST_ONE, customerId: 'cus_ben' });
    await rehearsal.down({ api: 'reverse-payment' });
    expect((await rehearsal.confirm(id)).body.code).toBe('reservation_expired');
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', compensation: 'pending', paymentStatus: 'authorised' });
    await rehearsal.api('release-reservation-api', { params: { id: (await rehearsal.object('basket', other)).reservationId } });
    expect((await rehearsal.confirm(id)).body.code).toBe('payment_incomplete');
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    const settled = await rehearsal.order(id);
    expect(settled).toMatchObject({ state: 'draft', payments: [{ state: 'voided' }] });
    expect(settled).not.toHaveProperty('compensation');
  });

  test('Two concurrent confirmations with a slow SIM make one new reservation', async (rehearsal) => {
    const { id } = await rehearsal.authorised(LAST_ONE);
    await rehearsal.advance(TTL);
    await rehearsal.fault('slow', { match: { api: 'take-hold' }, fault: { kind: 'latency', ms: 300 }, times: 1 });
    const replies = await Promise.all([rehearsal.confirm(id), rehearsal.confirm(id)]);
    const pending = { code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'confirm' } };
    for (const { status, body } of replies) expect(body).toMatchObject(status === 200 ? { state: 'confirmed' } : pending);
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    expect(await rehearsal.reserved('lamp-last-one')).toBe(1);
  });
});

describe('Confirm Order without another application', () => {
  /** A paid draft whose confirmed reservation is not answered. */
  const unanswered = async (rehearsal: TestRehearsal, headers?: Record<string, string>) => {
    const { id, payments } = await rehearsal.order((await rehearsal.authorised()).id);
    await rehearsal.fault('lost', lost('confirm-reservation-api'));
    expect(await rehearsal.confirm(id, headers)).toMatchObject({ status: 504, body: { code: 'dependency_timeout' } });
    return { id, paymentId: payments[0].id as string };
  };

  test('An order that waits for the answer about its reservation shows the pending action, and refuses Cancel Order', async (rehearsal) => {
    const { id } = await unanswered(rehearsal);
    const pendingAction = { action: 'confirm' };
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', pendingAction });
    const blocked = { code: 'invalid_state_transition', currentState: 'draft', action: 'cancel', retryable: true, pendingAction };
    expect(await rehearsal.cancel(id)).toMatchObject({ status: 409, body: blocked });
  });

  test('An intent is withdrawn when the SIM stays down, and Cancel Order releases the confirmed reservation', async (rehearsal) => {
    const { id } = await unanswered(rehearsal);
    await rehearsal.down('sim');
    await rehearsal.advance('PT10M');
    const draft = await rehearsal.order(id);
    expect([draft.state, draft.pendingAction]).toEqual(['draft', undefined]);
    await rehearsal.noFaults();
    expect(await rehearsal.reserved('mug-blue')).toBe(2);
    expect((await rehearsal.cancel(id)).body).toMatchObject({ state: 'cancelled', payments: [{ state: 'voided' }] });
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  });

  test('An intent is withdrawn when the payment is voided before the repeat', async (rehearsal) => {
    const { id, paymentId } = await unanswered(rehearsal);
    await rehearsal.api('void-payment-api', { params: { id: paymentId } });
    expect((await rehearsal.confirm(id)).body.code).toBe('payment_incomplete');
    expect(await rehearsal.order(id)).not.toHaveProperty('pendingAction');
    await rehearsal.authorisation(id);
    expect((await rehearsal.confirm(id)).body.state).toBe('confirmed');
  });
});

test('Get Order answers without payments while the Payment Hub is slow', async (rehearsal) => {
  const { id } = await rehearsal.authorised();
  await rehearsal.fault('slow', { match: { api: 'list-payments' }, fault: { kind: 'latency', ms: 60_000 } });
  const asked = Date.now();
  const { status, body, headers } = await rehearsal.call('get-order-api', { params: { id } });
  expect([status, body.paymentStatus, body.payments, headers['etag']]).toEqual([200, 'unknown', [], '"1"']);
  expect(Date.now() - asked).toBeLessThan(40_000);
});

test('Concurrent Confirm Order and Cancel Order have one outcome, with the effects of only one of them', async (rehearsal) => {
  await rehearsal.progress({ carrier: 'manual' });
  for (let round = 0; round < 8; round++) {
    const { id } = await rehearsal.authorised({ qty: 1 });
    const [confirm, cancel] = await Promise.all([rehearsal.confirm(id), rehearsal.cancel(id)]);
    const { state, payments, lines } = await rehearsal.order(id);
    for (const { status } of [confirm, cancel]) expect([200, 409]).toContain(status);
    const isCancelled = cancel.status === 200;
    if (!isCancelled) expect(cancel.body.retryable).toBe(true);
    const reservation = await rehearsal.object('reservation', lines[0].reservationId);
    expect([state, payments[0].state, reservation.state]).toEqual(
      isCancelled ? ['cancelled', 'voided', 'released'] : ['confirmed', 'authorised', 'confirmed'],
    );
    await rehearsal.advance('PT2M');
    const { fulfillmentOrders } = await rehearsal.order(id);
    if (!isCancelled) expect(fulfillmentOrders).toHaveLength(1);
    for (const one of fulfillmentOrders) expect(one.state).toBe(isCancelled ? 'cancelled' : 'allocated');
  }
});

async function blockable() {
  const rehearsal = await newRehearsal({ warehouse: 'manual' });
  const move = (verb: 'block' | 'unblock') => rehearsal.control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
  return { ...rehearsal, block: () => move('block'), unblock: () => move('unblock') };
}

describe('Confirm Order of a customer who has been blocked since the order was created', () => {
  const test = testIn(blockable);

  test('Confirm Order of a blocked customer is refused and writes nothing; it succeeds when the customer is unblocked', async (rehearsal) => {
    const { id } = await rehearsal.authorised();
    const before = await rehearsal.order(id);
    await rehearsal.block();
    const body = { code: 'customer_blocked', objectType: 'customer', id: 'cus_ada', retryable: false };
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 409, body });
    expect(await rehearsal.order(id)).toEqual(before);
    await rehearsal.unblock();
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
    await rehearsal.block();
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 200, body: { state: 'confirmed' } });
  });

  test('A sale of the till to a blocked customer is completed, since its goods are on the counter', async (rehearsal) => {
    const { id, totals } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    await rehearsal.block();
    await rehearsal.pay(id, { type: 'cash' }, totals.total.amount);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed' });
  });
});
