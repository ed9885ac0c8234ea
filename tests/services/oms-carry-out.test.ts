import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type CrashingEstate, crashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Step } from '../support/each-crash.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const MINUTE = 60_000;

const order = (rehearsal: TestRehearsal, id: string) => rehearsal.order(id);
const outage = (match: object) => ({ match, fault: { kind: 'outage' } });

/** A paid sale whose carry-out fails for now. */
async function paidAndWaiting(rehearsal: TestRehearsal, fault: object, body: Record<string, unknown> = {}): Promise<string> {
  const { id, totals } = await rehearsal.sale(body);
  await rehearsal.fault('no-carry-out', fault as Parameters<TestRehearsal['fault']>[1]);
  const paid = await rehearsal.pay(id, CASH, totals.total.amount);
  expect(paid).toMatchObject({ status: 201, body: { outstanding: eur(0), transactionState: 'paid', orderSubmission: 'queued' } });
  return id;
}

describe('A sale of the till', () => {
  test('is created, confirmed and carried out when it is paid: captured, out of stock, completed, with points', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
    await rehearsal.pay(id, CASH, 1000);
    const last = await rehearsal.pay(id, card(), 1598);
    expect(last).toMatchObject({ status: 201, body: { transactionState: 'completed', orderSubmission: 'accepted' } });

    const done = await order(rehearsal, id);
    expect(done).toMatchObject({
      ...{ id, basketId, state: 'completed', channel: 'pos', storeId: 'store-01', customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' },
      ...{ paymentStatus: 'paid', earningAmount: eur(2598), fulfillmentOrders: [] },
      lines: [{ sku: 'mug-blue', qty: 2, nodeId: 'store-01', fulfilledQty: 2, cancelledQty: 0 }],
      payments: [
        { tender: { type: 'cash' }, state: 'captured', capturedAmount: eur(1000) },
        { tender: { type: 'card' }, state: 'captured', capturedAmount: eur(1598) },
      ],
    });
    expect(done.completedAt).toBeDefined();
    for (const absent of ['stockDiscrepancy', 'pendingAction', 'routingStatus', 'shippingAddress']) expect(done).not.toHaveProperty(absent);
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    expect((await rehearsal.object('reservation', done.lines[0].reservationId)).state).toBe('fulfilled');

    const changes = await rehearsal.events({ subject: `order/${id}`, ext: true });
    expect(changes.map(({ type, data }) => [typesOf([{ type }])[0], data.previousState, data.object.state])).toEqual([
      ['order-created', undefined, 'draft'],
      ['order-confirmed', 'draft', 'confirmed'],
      ['ext.order-changed', 'confirmed', 'confirmed'],
      ['ext.order-changed', 'confirmed', 'completed'],
    ]);
    expect(typesOf(await rehearsal.events({ type: 'payment-captured' })).length).toBe(2);
    const { entries } = await rehearsal.object('loyalty-account', 'loy_ada');
    expect(entries.filter((entry: { orderId?: string }) => entry.orderId === id)).toMatchObject([{ type: 'earn', points: 25 }]);
    await rehearsal.verify();
  });

  test('of all units in the records, safety stock included, leaves none on hand and shows no discrepancy', async () => {
    await using rehearsal = await newRehearsal();
    const { onHand } = await rehearsal.stockAt('sea-salt');
    const { id, totals } = await rehearsal.sale({ lines: [{ sku: 'sea-salt', qty: onHand }] });
    await rehearsal.pay(id, card(), totals.total.amount);
    const done = await order(rehearsal, id);
    expect(done.state).toBe('completed');
    expect(done).not.toHaveProperty('stockDiscrepancy');
    expect(await rehearsal.stockAt('sea-salt')).toEqual({ onHand: 0, reserved: 0 });
    await rehearsal.verify();
  });

  test('of more units than the store has in stock shows a discrepancy, and no counter goes negative', async () => {
    await using rehearsal = await newRehearsal();
    const { id, totals } = await rehearsal.sale({
      lines: [
        { sku: 'mug-blue', qty: 52 },
        { sku: 'vase-sold-out', qty: 1 },
        { sku: 'bulb-warm', qty: 1 },
      ],
    });
    await rehearsal.pay(id, card(), totals.total.amount);
    const done = await order(rehearsal, id);
    expect(done).toMatchObject({ state: 'completed', stockDiscrepancy: true });
    expect(done.lines.map(({ qty, fulfilledQty }: { qty: number; fulfilledQty: number }) => qty - fulfilledQty)).toEqual([0, 0, 0]);
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 0, reserved: 0 });
    expect(await rehearsal.stockAt('vase-sold-out')).toEqual({ onHand: 0, reserved: 0 });
    await rehearsal.verify();
  });

  test.each([
    ['open', async (rehearsal: TestRehearsal) => ({ ...(await rehearsal.sale()), outstanding: 2598 })],
    [
      'open, its hold confirmed by hand',
      async (rehearsal: TestRehearsal) => {
        const sale = { ...(await rehearsal.sale()), outstanding: 2598 };
        await rehearsal.api('confirm-reservation-api', { params: { id: sale.lines[0].reservationId } });
        return sale;
      },
    ],
    [
      'paid and waiting for the OMS',
      async (rehearsal: TestRehearsal) => {
        const sale = { ...(await rehearsal.sale()), outstanding: 0 };
        await rehearsal.fault('no-oms', outage({ application: 'oms' }) as Parameters<TestRehearsal['fault']>[1]);
        expect((await rehearsal.pay(sale.id, CASH, 2598)).body).toMatchObject({ transactionState: 'paid', orderSubmission: 'queued' });
        return sale;
      },
    ],
  ])('that is %s keeps its hold, which clients cannot release, and its units leave the stock', async (_, given) => {
    await using rehearsal = await newRehearsal();
    const { id, lines, outstanding } = await given(rehearsal);
    const { reservationId } = lines[0];
    const { status, body } = await rehearsal.call('release-reservation-api', { params: { id: reservationId } });
    expect([status, body.code, body.objectType, body.id, body.transactionId]).toEqual([
      409,
      'invalid_state_transition',
      'reservation',
      reservationId,
      id,
    ]);
    expect(body.detail).toMatch(/void the transaction/);
    expect(body.allowedFrom).toEqual([]);
    expect((await rehearsal.stockAt('mug-blue')).onHand).toBe(50);
    await rehearsal.noFaults();
    if (outstanding > 0) await rehearsal.pay(id, CASH, outstanding);
    await rehearsal.advance('PT10M');
    const done = await order(rehearsal, id);
    expect(done).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2 }] });
    expect(done).not.toHaveProperty('stockDiscrepancy');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    await rehearsal.verify();
  });

  test('takes its units from its hold even if a client confirmed that meanwhile', async () => {
    await using rehearsal = await newRehearsal();
    const { id, lines } = await rehearsal.sale();
    await rehearsal.api('confirm-reservation-api', { params: { id: lines[0].reservationId } });
    await rehearsal.pay(id, card(), 2598);
    const done = await order(rehearsal, id);
    expect(done).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2 }] });
    expect(done).not.toHaveProperty('stockDiscrepancy');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    await rehearsal.verify();
  });

  test('is carried out even if its basket once had a shipping address', async () => {
    await using rehearsal = await newRehearsal();
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const basket = await rehearsal.checkedOut({ lines });
    await rehearsal.advance('PT16M');
    const { id, totals } = await rehearsal.sale({ basketId: basket.id });
    await rehearsal.pay(id, card(), totals.total.amount);
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', basketId: basket.id, fulfillmentOrders: [] });
    await rehearsal.advance('PT1H');
    expect(typesOf(await rehearsal.events())).not.toContain('fulfillment-order-created');
    await rehearsal.verify();
  });

  test('is captured even where clients capture shipped orders by hand', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-progression', { body: { capture: 'manual', route: 'manual' } });
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, card(), 2598);
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });
});

describe('Create Order by hand of a checkout at the till', () => {
  test('gives the one draft the id of its transaction, whether the request names the transaction or its basket', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId, totals } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 1000);
    const made = await rehearsal.call('create-order-api', { body: { transactionId: id } });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id,
        basketId,
        state: 'draft',
        channel: 'pos',
        storeId: 'store-01',
        totals,
        paymentStatus: 'unpaid',
        payments: [{ amount: eur(1000) }],
      },
    });
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'converted', orderId: id });
    for (const body of [{ transactionId: id }, { basketId }]) {
      expect(await rehearsal.call('create-order-api', { body })).toMatchObject({ status: 200, body: { id, version: 1 } });
    }
    expect((await rehearsal.events({ type: 'order-created' })).length).toBe(1);
    const refused = await rehearsal.call('confirm-order-api', { params: { id }, body: {} });
    expect(refused).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(1598) } });
    await rehearsal.verify();
  });

  test('does not stop the till: when it is paid there, it is confirmed and carried out', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.api('create-order-api', { body: { transactionId: id } });
    const paid = await rehearsal.pay(id, card(), 2598);
    expect(paid).toMatchObject({ status: 201, body: { transactionState: 'completed', orderSubmission: 'accepted' } });
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 2 }] });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    await rehearsal.verify();
  });

  test('is refused for a voided and for an unknown transaction', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.voidSale(id);
    expect(await rehearsal.call('create-order-api', { body: { transactionId: id } })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', objectType: 'transaction', id, currentState: 'voided', action: 'order' },
    });
    expect(await rehearsal.call('create-order-api', { body: { basketId } })).toMatchObject({
      status: 409,
      body: { objectType: 'basket', currentState: 'abandoned' },
    });
    expect(await rehearsal.call('create-order-api', { body: { transactionId: 'ord_none' } })).toMatchObject({
      status: 404,
      body: { objectType: 'transaction', id: 'ord_none' },
    });
    expect(await rehearsal.call('create-order-api', { body: { transactionId: id, basketId } })).toMatchObject({ status: 422 });
    expect(await rehearsal.call('get-order-api', { params: { id } })).toMatchObject({ status: 404 });
    await rehearsal.verify();
  });

  test('is refused while the POS is down', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('down', outage({ application: 'pos' }) as Parameters<TestRehearsal['fault']>[1]);
    expect(await rehearsal.call('create-order-api', { body: { transactionId: id } })).toMatchObject({
      status: 503,
      body: { dependency: 'pos' },
    });
    await rehearsal.noFaults();
    expect(await rehearsal.call('create-order-api', { body: { transactionId: id } })).toMatchObject({ status: 201 });
  });
});

describe('An order of the till', () => {
  test('that is confirmed and not carried out waits for the till without limit, and is never routed', async () => {
    await using rehearsal = await newRehearsal();
    const id = await paidAndWaiting(rehearsal, outage({ api: 'carry-out' }));
    const confirmed = await order(rehearsal, id);
    expect(confirmed).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised', fulfillmentOrders: [] });
    expect(confirmed).not.toHaveProperty('routingStatus');
    expect(confirmed.lines[0]).not.toHaveProperty('nodeId');
    expect((await rehearsal.object('reservation', confirmed.lines[0].reservationId)).state).toBe('requested');
    expect(await rehearsal.call('confirm-order-api', { params: { id }, body: {} })).toMatchObject({
      status: 200,
      body: { version: confirmed.version },
    });
    expect(await rehearsal.call('route-order-api', { params: { id }, body: {} })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', objectType: 'order', id, action: 'route', allowedFrom: [] },
    });
    await rehearsal.advance('P9D');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'confirmed', version: confirmed.version });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    const { invariants } = await rehearsal.client.control('verify');
    expect(invariants.flatMap(({ violations }) => violations)).toEqual([]);
    await rehearsal.noFaults();
    await rehearsal.advance('P1D');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    expect(await rehearsal.call('route-order-api', { params: { id }, body: {} })).toMatchObject({ status: 409 });
    expect(await rehearsal.call('cancel-order-api', { params: { id }, body: {} })).toMatchObject({ status: 409 });
    await rehearsal.verify();
  });

  test.each(['draft', 'confirmed'])('that is %s can be cancelled, which releases its hold and voids its tenders', async (state) => {
    await using rehearsal = await newRehearsal();
    const id = state === 'confirmed' ? await paidAndWaiting(rehearsal, outage({ api: 'carry-out' })) : (await rehearsal.sale()).id;
    if (state === 'draft') {
      await rehearsal.pay(id, CASH, 1000);
      await rehearsal.api('create-order-api', { body: { transactionId: id } });
    }
    expect(await order(rehearsal, id)).toMatchObject({ state });
    const cancelled = await rehearsal.api('cancel-order-api', { params: { id }, body: { reason: 'changed their mind' } });
    expect(cancelled).toMatchObject({ state: 'cancelled', cancelReason: 'changed their mind', payments: [{ state: 'voided' }] });
    expect(cancelled).not.toHaveProperty('compensation');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'cancelled' });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
  });
});

describe('A carry-out that another application interrupts', () => {
  test.each([
    ['the SIM', { application: 'sim' }],
    ['the Payment Hub', { api: 'capture-payment-api' }],
    ['the Inventory Service', { api: 'record-stock-movement' }],
  ])('shows its intent, blocks a cancellation and is finished by due work: %s', async (_, match) => {
    await using rehearsal = await newRehearsal();
    const id = await paidAndWaiting(rehearsal, outage(match), { lines: [{ sku: 'mug-blue', qty: 51 }] });
    expect(await order(rehearsal, id)).toMatchObject({ state: 'confirmed', pendingAction: { action: 'carry-out' } });
    expect(await rehearsal.call('cancel-order-api', { params: { id }, body: {} })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'carry-out' } },
    });
    const { invariants } = await rehearsal.client.control('verify');
    expect(invariants.flatMap(({ violations }) => violations)).toEqual([]);
    await rehearsal.noFaults();
    await rehearsal.advance('PT30M');
    const done = await order(rehearsal, id);
    expect(done).toMatchObject({ state: 'completed', paymentStatus: 'paid', stockDiscrepancy: true });
    expect(done).not.toHaveProperty('pendingAction');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 0, reserved: 0 });
    await rehearsal.verify();
  });

  test.each(['move-reservation', 'record-stock-movement', 'capture-payment-api'])(
    'the answer to %s is lost: everything happens once',
    async (api) => {
      await using rehearsal = await newRehearsal();
      const id = await paidAndWaiting(
        rehearsal,
        { match: { api }, fault: { kind: 'lost-response' }, times: 1 },
        { lines: [{ sku: 'mug-blue', qty: 51 }] },
      );
      await rehearsal.advance('PT30M');
      expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 51 }], stockDiscrepancy: true });
      expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 0, reserved: 0 });
      expect((await rehearsal.events({ type: 'payment-captured' })).length).toBe(1);
      await rehearsal.verify();
    },
  );

  test('is withdrawn when a tender was voided meanwhile, and the sale is paid anew', async () => {
    await using rehearsal = await newRehearsal();
    const id = await paidAndWaiting(rehearsal, outage({ api: 'carry-out' }));
    const [payment] = (await order(rehearsal, id)).payments;
    await rehearsal.api('void-payment-api', { params: { id: payment.id } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT10M');
    const waiting = await order(rehearsal, id);
    expect(waiting).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    expect(waiting).not.toHaveProperty('pendingAction');
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.authorisation(id);
    await rehearsal.advance('P1D');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await rehearsal.verify();
  });

  test('is finished at once when a voided tender is replaced', async () => {
    await using rehearsal = await newRehearsal();
    const id = await paidAndWaiting(rehearsal, outage({ api: 'carry-out' }));
    const [payment] = (await order(rehearsal, id)).payments;
    await rehearsal.api('void-payment-api', { params: { id: payment.id } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT12H');
    expect((await rehearsal.settle()).parked).toEqual([]);
    await rehearsal.authorisation(id);
    await rehearsal.settle();
    await rehearsal.advance('PT1S');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });
});

const CARD = { type: 'card', token: 'tok_visa' };

/** A sale with this outstanding amount. */
interface Sale {
  readonly id: string;
  readonly left: number;
}

/** A sale of one mug more than the store has, of which 10.00 are paid. */
async function saleUnderWay(estate: CrashingEstate): Promise<Sale> {
  const lines = [{ sku: 'mug-blue', qty: 51 }];
  const { body } = await estate.insist('pos', 'POST', '/transactions', { storeId: 'store-01', laneId: 'lane-1', lines });
  const paid = await estate.insist(
    'pos',
    'POST',
    `/transactions/${body.id}/payment`,
    { tender: { type: 'cash' }, amount: eur(1000) },
    'cash',
  );
  expect(paid).toMatchObject({ status: 201, body: { transactionState: 'open' } });
  await estate.settle();
  return { id: body.id, left: body.totals.total.amount - 1000 };
}

const rest = (id: string): string => `/transactions/${id}/payment`;
const carriedOut = (id: string): string => `/internal/orders/${id}/carry-out`;

const CRASHES: Partial<Record<Application, number>> = { oms: 6, sim: 3, 'inventory-service': 2, 'payment-hub': 3 };

async function eachDeath(steps: readonly Step<Sale>[]): Promise<void> {
  const crashes = await eachCrash<Sale>({
    begin: saleUnderWay,
    steps,
    killed: Object.keys(CRASHES) as Application[],
    end: async (estate, { id }) => {
      const { body } = await estate.insist('oms', 'GET', `/orders/${id}`);
      expect(body).toMatchObject({ state: 'completed', paymentStatus: 'paid', stockDiscrepancy: true, lines: [{ fulfilledQty: 51 }] });
      expect(body).not.toHaveProperty('pendingAction');
      const { body: item } = await estate.insist('sim', 'GET', '/inventory/items/mug-blue');
      const store = item.locations.find(({ locationId }: { locationId: string }) => locationId === 'store-01');
      expect(store).toMatchObject({ onHand: 0, reserved: 0 });
    },
  });
  expect(crashes).toBe(2 * Object.values(CRASHES).reduce((sum, commits) => sum + commits, 0));
}

describe('A sale of which a process is killed at any commit of its last tender, its order and its carry-out', () => {
  test('is done once when the till repeats the tender', async () => {
    await eachDeath([
      async (estate, sale) => {
        const tender = { tender: CARD, amount: eur(sale.left) };
        expect(await estate.insist('pos', 'POST', rest(sale.id), tender)).toMatchObject({ status: 201 });
        await estate.advance(40 * MINUTE);
        return sale;
      },
    ]);
  });

  test('is done once without a repeat', async () => {
    await eachDeath([
      async (estate, sale) => {
        const tender = { tender: CARD, amount: eur(sale.left) };
        await estate.ask('pos', 'POST', rest(sale.id), tender, 'once').catch(() => undefined);
        await estate.advance(40 * MINUTE);
        // If the tender was never taken, the customer pays again.
        const { status } = await estate.insist('oms', 'GET', `/orders/${sale.id}`);
        if (status === 404) await estate.insist('pos', 'POST', rest(sale.id), tender, 'again');
        await estate.advance(40 * MINUTE);
        return sale;
      },
    ]);
  });

  test('makes as many commits as are killed here, and a repeat of the carry-out changes nothing', async () => {
    const estate = await crashingEstate();
    try {
      const { id, left } = await saleUnderWay(estate);
      estate.crashAt(undefined);
      await estate.insist('pos', 'POST', rest(id), { tender: CARD, amount: eur(left) });
      await estate.settle();
      const counted = (): object =>
        Object.fromEntries(Object.keys(CRASHES).map((application) => [application, estate.commits(application as Application)]));
      expect(counted()).toEqual(CRASHES);
      const again = await estate.insist('oms', 'POST', carriedOut(id));
      expect(again).toMatchObject({ status: 200, body: { id, state: 'completed' } });
      expect(counted()).toEqual({ ...CRASHES, oms: (CRASHES.oms ?? 0) + 1 });
    } finally {
      await estate.close();
    }
  });
});

describe('Carry Out', () => {
  test('is refused for a shipped order, and for an unconfirmed one', async () => {
    const estate = await crashingEstate();
    try {
      const lines = [{ sku: 'mug-blue', qty: 1 }];
      const { body: basket } = await estate.insist('ecommerce-platform', 'POST', '/baskets', {
        channel: 'web',
        customerId: 'cus_ada',
        lines,
      });
      await estate.insist('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
      const { body: web } = await estate.insist('oms', 'POST', '/orders', { basketId: basket.id });
      expect(await estate.insist('oms', 'POST', carriedOut(web.id))).toMatchObject({
        status: 409,
        body: { code: 'invalid_state_transition', objectType: 'order', id: web.id, action: 'carry-out' },
      });
      const { body: sale } = await estate.insist('pos', 'POST', '/transactions', { storeId: 'store-01', laneId: 'lane-1', lines });
      expect(await estate.insist('oms', 'POST', carriedOut(sale.id))).toMatchObject({ status: 404, body: { objectType: 'order' } });
      await estate.insist('oms', 'POST', '/orders', { transactionId: sale.id }, 'by hand');
      expect(await estate.insist('oms', 'POST', carriedOut(sale.id), {}, 'draft')).toMatchObject({
        status: 409,
        body: { currentState: 'draft', allowedFrom: ['confirmed', 'completed', 'return-in-progress'] },
      });
    } finally {
      await estate.close();
    }
  });
});
