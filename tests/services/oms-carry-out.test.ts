import { describe, expect } from '@jest/globals';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** Two mugs, which the store has fifty of. */
const TOTAL = 2598;
const outage = (match: FaultInput['match']): FaultInput => ({ match, fault: { kind: 'outage' } });
const NOT_CARRIED_OUT = outage({ api: 'carry-out' });
const mugs = (rehearsal: TestRehearsal) => rehearsal.stockAt('mug-blue');
const createOrder = (rehearsal: TestRehearsal, body: object) => rehearsal.call('create-order-api', { body });

/** A paid sale whose carry-out fails for now. */
async function paidAndWaiting(rehearsal: TestRehearsal, fault: FaultInput, body: Record<string, unknown> = {}): Promise<string> {
  const { id, totals } = await rehearsal.sale(body);
  await rehearsal.fault('no-carry-out', fault);
  const paid = await rehearsal.pay(id, CASH, totals.total.amount);
  expect(paid).toMatchObject({ status: 201, body: { outstanding: eur(0), transactionState: 'paid', orderSubmission: 'queued' } });
  return id;
}

describe('Sales of the till', () => {
  test.each([
    [{ 'sea-salt': 22 }, undefined],
    [{ 'mug-blue': 52, 'vase-sold-out': 1, 'bulb-warm': 1 }, true],
  ])(
    'A sale of %j leaves no negative counter, and shows a discrepancy beyond the records (%s)',
    async (rehearsal, goods, stockDiscrepancy) => {
      const { id, totals } = await rehearsal.sale({ lines: Object.entries(goods).map(([sku, qty]) => ({ sku, qty })) });
      await rehearsal.pay(id, card(), totals.total.amount);
      const done = await rehearsal.order(id);
      expect([done.state, done.stockDiscrepancy]).toEqual(['completed', stockDiscrepancy]);
      for (const { qty, fulfilledQty } of done.lines) expect(fulfilledQty).toBe(qty);
      const tracked = Object.keys(goods).filter((sku) => sku !== 'bulb-warm');
      for (const sku of tracked) expect(await rehearsal.stockAt(sku)).toEqual({ onHand: 0, reserved: 0 });
    },
  );

  test.each(['open', 'open, its reservation confirmed by hand', 'paid and waiting for the OMS'])(
    'A sale that is %s keeps its reservation, which clients cannot release, and its units leave the stock',
    async (rehearsal, state) => {
      const { id, lines } = await rehearsal.sale();
      const [{ reservationId }] = lines;
      if (state.includes('by hand')) await rehearsal.api('confirm-reservation-api', { params: { id: reservationId } });
      if (state.startsWith('paid')) {
        await rehearsal.down('oms');
        expect((await rehearsal.pay(id, CASH, TOTAL)).body).toMatchObject({ transactionState: 'paid', orderSubmission: 'queued' });
      }
      const { status, body } = await rehearsal.call('release-reservation-api', { params: { id: reservationId } });
      expect([status, body.allowedFrom, body.detail]).toEqual([409, [], expect.stringContaining('void the transaction')]);
      expect(body).toMatchObject({ code: 'invalid_state_transition', objectType: 'reservation', id: reservationId, transactionId: id });
      await rehearsal.noFaults();
      if (state.startsWith('open')) await rehearsal.pay(id, CASH, TOTAL);
      await rehearsal.advance('PT10M');
      const done = await rehearsal.order(id);
      expect(done).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2 }] });
      expect(done).not.toHaveProperty('stockDiscrepancy');
      expect(await mugs(rehearsal)).toEqual({ onHand: 48, reserved: 0 });
    },
  );

  test('A sale whose basket once had a shipping address is carried out and never shipped', async (rehearsal) => {
    const basket = await rehearsal.checkedOut();
    await rehearsal.advance('PT16M');
    const { id, totals } = await rehearsal.sale({ basketId: basket.id });
    await rehearsal.pay(id, card(), totals.total.amount);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', basketId: basket.id, fulfillmentOrders: [] });
    await rehearsal.advance('PT1H');
    expect(typesOf(await rehearsal.events())).not.toContain('fulfillment-order-created');
  });

  test('A sale is captured even where clients capture shipped orders by hand', async (rehearsal) => {
    await rehearsal.progress({ capture: 'manual', route: 'manual' });
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, card(), TOTAL);
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });
});

describe('Create Order by hand for a checkout at the till', () => {
  test('Create Order gives the one draft the id of its transaction, and the till carries it out when it is paid', async (rehearsal) => {
    const { id, basketId, totals } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    const made = await createOrder(rehearsal, { basketId });
    const payments = [{ amount: eur(1000) }];
    expect(made).toMatchObject({ status: 201, body: { id, basketId, state: 'draft', channel: 'pos', storeId: 'store-01' } });
    expect(made.body).toMatchObject({ totals, paymentStatus: 'unpaid', payments });
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'converted', orderId: id });
    for (const body of [{ transactionId: id }, { basketId }]) {
      expect(await createOrder(rehearsal, body)).toMatchObject({ status: 200, body: { id, version: 1 } });
    }
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(1598) } });
    const rest = await rehearsal.pay(id, card(), 1598);
    expect(rest).toMatchObject({ status: 201, body: { transactionState: 'completed', orderSubmission: 'accepted' } });
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2 }] });
    expect(await mugs(rehearsal)).toEqual({ onHand: 48, reserved: 0 });
  });

  test('Create Order refuses a voided transaction', async (rehearsal) => {
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.voidSale(id);
    const voided = { code: 'invalid_state_transition', objectType: 'transaction', id, currentState: 'voided', action: 'order' };
    expect(await createOrder(rehearsal, { transactionId: id })).toMatchObject({ status: 409, body: voided });
    const abandoned = { objectType: 'basket', currentState: 'abandoned' };
    expect(await createOrder(rehearsal, { basketId })).toMatchObject({ status: 409, body: abandoned });
    expect((await createOrder(rehearsal, { transactionId: id, basketId })).status).toBe(422);
    expect((await rehearsal.call('get-order-api', { params: { id } })).status).toBe(404);
  });
});

describe('Orders of the till', () => {
  test('A confirmed order waits for the till without limit, and is never routed', async (rehearsal) => {
    const id = await paidAndWaiting(rehearsal, NOT_CARRIED_OUT);
    const confirmed = await rehearsal.order(id);
    const { version } = confirmed;
    expect(confirmed).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised', fulfillmentOrders: [] });
    expect(confirmed).not.toHaveProperty('routingStatus');
    expect(confirmed.lines[0]).not.toHaveProperty('nodeId');
    expect((await rehearsal.object('reservation', confirmed.lines[0].reservationId)).state).toBe('requested');
    expect(await rehearsal.confirm(id)).toMatchObject({ status: 200, body: { version } });
    const unroutable = { code: 'invalid_state_transition', objectType: 'order', id, action: 'route', allowedFrom: [] };
    expect(await rehearsal.call('route-order-api', { params: { id } })).toMatchObject({ status: 409, body: unroutable });
    await rehearsal.advance('P9D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed', version });
    expect(await mugs(rehearsal)).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.noFaults();
    await rehearsal.advance('P1D');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    expect((await rehearsal.call('route-order-api', { params: { id } })).status).toBe(409);
  });

  test('An order of the till that waits for its carry-out can be cancelled: stock released, tenders voided', async (rehearsal) => {
    const id = await paidAndWaiting(rehearsal, NOT_CARRIED_OUT);
    const { body } = await rehearsal.cancel(id, { reason: 'changed their mind' });
    expect(body).toMatchObject({ state: 'cancelled', cancelReason: 'changed their mind', payments: [{ state: 'voided' }] });
    expect(body).not.toHaveProperty('compensation');
    expect(await mugs(rehearsal)).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'cancelled' });
    expect(await mugs(rehearsal)).toEqual({ onHand: 50, reserved: 0 });
  });
});

describe('Interrupted carry-outs', () => {
  const tooMany = { lines: [{ sku: 'mug-blue', qty: 51 }] };
  const done = { state: 'completed', paymentStatus: 'paid', stockDiscrepancy: true, lines: [{ fulfilledQty: 51 }] };

  test.each([
    ['the SIM', { application: 'sim' }],
    ['the Payment Hub', { api: 'capture-payment-api' }],
    ['the Inventory Service', { api: 'record-stock-movement' }],
  ] as const)(
    'A carry-out that waits for %s shows its intent, blocks a cancellation and is finished by due work',
    async (rehearsal, _, match) => {
      const id = await paidAndWaiting(rehearsal, outage(match), tooMany);
      expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed', pendingAction: { action: 'carry-out' } });
      const blocked = { code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'carry-out' } };
      expect(await rehearsal.cancel(id)).toMatchObject({ status: 409, body: blocked });
      const { invariants } = await rehearsal.control('verify');
      expect(invariants.flatMap(({ violations }) => violations)).toEqual([]);
      await rehearsal.noFaults();
      await rehearsal.advance('PT30M');
      const carriedOut = await rehearsal.order(id);
      expect(carriedOut).toMatchObject(done);
      expect(carriedOut).not.toHaveProperty('pendingAction');
      expect(await mugs(rehearsal)).toEqual({ onHand: 0, reserved: 0 });
    },
  );

  test('A carry-out is withdrawn when a tender was voided, and finished when the tender is replaced', async (rehearsal) => {
    const id = await paidAndWaiting(rehearsal, NOT_CARRIED_OUT);
    const [payment] = (await rehearsal.order(id)).payments;
    await rehearsal.api('void-payment-api', { params: { id: payment.id } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT12H');
    const waiting = await rehearsal.order(id);
    expect(waiting).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    expect(waiting).not.toHaveProperty('pendingAction');
    expect(await mugs(rehearsal)).toEqual({ onHand: 50, reserved: 2 });
    expect((await rehearsal.settle()).parked).toEqual([]);
    await rehearsal.authorisation(id);
    await rehearsal.settle();
    await rehearsal.advance('PT1S');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });
});
