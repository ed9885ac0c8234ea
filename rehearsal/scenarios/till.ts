import type { Scenario, Stage } from '../scenario.ts';
import { CARD, stateOf } from './steps.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const CASH = { type: 'cash' };

/** Starts a checkout at the till of the Galway store. */
async function scanned(stage: Stage, line: { sku: string; qty: number }): Promise<{ id: string; total: number }> {
  const { body } = await stage.step({
    title: `Scan ${line.qty} × ${line.sku} at the till`,
    call: 'POST /transactions',
    body: { storeId: 'store-01', laneId: 'lane-1', lines: [line] },
  });
  return { id: body.id, total: body.totals.total.amount };
}

interface Tendered<Status extends number> {
  readonly title: string;
  readonly tender: object;
  readonly amount: number;
  readonly status?: Status;
  readonly events?: readonly string[];
}

const pay = <const Status extends number = 200>(stage: Stage, id: string, { title, tender, amount, ...expected }: Tendered<Status>) =>
  stage.step({ title, call: `POST /transactions/${id}/payment`, body: { tender, amount: eur(amount) }, ...expected });

/** Pain: the second of two tenders is declined. The first one stands; the till takes another one for the rest. */
export const splitTender: Scenario = {
  name: 'split-tender',
  title: 'The second of two tenders at the till is declined',
  flows: [1, 3],
  pains: ['split-tender'],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 2 });
    const cash = await pay(stage, id, { title: 'Pay 10.00 in cash', tender: CASH, amount: 1000, events: ['payment-authorized'] });
    stage.expect('outstanding', cash.body.outstanding, eur(total - 1000));
    const no = { type: 'card', token: 'tok_decline_do_not_honor' };
    const declined = await pay(stage, id, { title: 'The card is declined', tender: no, amount: total - 1000, status: 402, events: [] });
    stage.expect('refused as', declined.body.code, 'payment_declined');
    const paid = await pay(stage, id, {
      title: 'Another card pays the rest; the till submits the sale automatically',
      tender: CARD,
      amount: total - 1000,
      events: ['payment-authorized', 'order-created', 'order-confirmed', 'payment-captured', 'payment-captured'],
    });
    stage.expect('outstanding', paid.body.outstanding, eur(0));
    stage.expect('transaction', paid.body.transactionState, 'completed');
    const tenders = paid.body.receipt?.tenders.map(({ type }) => type);
    stage.expect('tenders on the receipt', tenders, ['cash', 'card']);
    const order = await stage.step({ title: 'The order has the id of the transaction', call: `GET /orders/${id}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payment status', order.body.paymentStatus, 'paid');
  },
};

/** The customer pays a part and leaves without the goods. */
export const voidedAtTheTill: Scenario = {
  name: 'void-transaction',
  title: 'A checkout at the till is voided after two tenders, the last tender first',
  flows: [1],
  pains: ['split-tender'],
  async run(stage) {
    const { id } = await scanned(stage, { sku: 'mug-blue', qty: 2 });
    await pay(stage, id, { title: 'Pay 5.00 in cash', tender: CASH, amount: 500 });
    await pay(stage, id, { title: 'Pay 5.00 with a gift card', tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 });
    const voided = await stage.step({
      title: 'Void the transaction: its tenders are voided and its stock is released',
      call: `POST /transactions/${id}/void`,
      body: { reason: 'changed my mind' },
      events: ['checkout-cancelled'],
    });
    stage.expect('order', voided.body.state, 'cancelled');
    stage.expect('tenders', stateOf(voided.body.payments), ['voided', 'voided']);
    const again = await stage.step({
      title: 'Void it again: nothing changes',
      call: `POST /transactions/${id}/void`,
      body: {},
      events: [],
    });
    stage.expect('order', again.body.state, 'cancelled');
    const late = await pay(stage, id, {
      title: 'A voided transaction takes no payment',
      tender: CASH,
      amount: 500,
      status: 409,
      events: [],
    });
    stage.expect('refused as', late.body.code, 'invalid_state_transition');
    const next = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await pay(stage, next.id, { title: 'The gift card has its 5.00 back', tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 });
    await stage.step({ title: 'Void the second transaction', call: `POST /transactions/${next.id}/void`, body: {} });
  },
};

/** Flow 3's failure column: the sale stands and is submitted once, after the OMS is back. */
export const storeAndForward: Scenario = {
  name: 'store-and-forward',
  title: 'The OMS is down when a sale at the till is paid',
  flows: [3],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await stage.fault('down', { match: { application: 'oms' }, fault: { kind: 'outage' } });
    const paid = await pay(stage, id, {
      title: 'The sale is paid and its submission queued',
      tender: CASH,
      amount: total,
      events: ['payment-authorized'],
    });
    stage.expect('transaction', paid.body.transactionState, 'paid');
    stage.expect('submission', paid.body.orderSubmission, 'queued');
    const refused = await stage.step({
      title: 'A paid sale cannot be voided',
      call: `POST /transactions/${id}/void`,
      body: {},
      status: 409,
    });
    stage.expect('refused as', refused.body.code, 'invalid_state_transition');
    await stage.advance('PT10M');
    await stage.noFaults();
    await stage.advance('PT1H');
    const order = await stage.step({ title: 'The OMS is back and has the order', call: `GET /orders/${id}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payments', stateOf(order.body.payments), ['captured']);
  },
};

/** Flow 3's failure column: the store sells more units than the Inventory Service counts. */
export const stockDiscrepancy: Scenario = {
  name: 'stock-discrepancy',
  title: 'The store sells three vases that are not in its stock records',
  flows: [3],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'vase-sold-out', qty: 3 });
    const paid = await pay(stage, id, { title: 'The customer pays for the vases', tender: CARD, amount: total });
    stage.expect('transaction', paid.body.transactionState, 'completed');
    const order = await stage.step({ title: 'The order records the stock discrepancy', call: `GET /orders/${id}` });
    stage.expect('stock discrepancy', order.body.stockDiscrepancy, true);
    stage.expect('carried out', order.body.lines[0]?.fulfilledQty, 3);
    const stock = await stage.step({ title: 'No stock level is below zero', call: 'GET /inventory/items/vase-sold-out' });
    const levels = stock.body.locations.map(({ onHand }) => onHand);
    stage.expect('on hand', levels, Array(levels.length).fill(0));
  },
};

/** Flow 1's failure column: the answer to a tender is lost. */
export const lostTender: Scenario = {
  name: 'lost-tender',
  title: 'The outcome of a tender is unknown: the till reads it from the Payment Hub before it takes another tender',
  flows: [1],
  pains: ['unknown-outcome'],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await stage.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await pay(stage, id, { title: 'The answer is lost', tender: CARD, amount: 500, status: 504 });
    const tooMuch = await pay(stage, id, {
      title: 'The tender was authorised: the full amount again is too much',
      tender: CARD,
      amount: total,
      status: 409,
    });
    stage.expect('outstanding', tooMuch.body.outstanding, eur(total - 500));
    const paid = await pay(stage, id, { title: 'Pay the rest', tender: CASH, amount: total - 500 });
    stage.expect('transaction', paid.body.transactionState, 'completed');
    stage.expect('tenders on the receipt', paid.body.receipt?.tenders.length, 2);
  },
};

/**
 * Prices without tax, and no coin below 0.05. By hand: 2 × 12.99 = 25.98, and 8.875 % of that are 2.3057, so 28.29. In cash 28.30 are due, and
 * 30.00 give 1.70 of change. One mug is worth the floor of the half, 14.14, and 14.15 are paid back in cash. The other one is worth 14.15.
 */
export const roundedSale: Scenario = {
  name: 'tax-and-coins',
  title: 'A sale whose tax is added to its prices is paid in cash, and one of two mugs is returned: cash is rounded to the smallest coin',
  flows: [1, 3],
  data: { retailer: { taxIncluded: false, taxRates: [{ country: 'IE', rate: 8.875 }], cashRounding: 5 } },
  async run(stage) {
    const sale = await stage.step({
      title: 'Scan 2 × mug-blue at the till',
      call: 'POST /transactions',
      body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
    });
    const { id, totals } = sale.body;
    stage.expect('subtotal, tax and total', [totals.subtotal, totals.tax, totals.total], [eur(2_598), eur(231), eur(2_829)]);
    const taxes = totals.taxes?.map(({ rate, taxable, tax }) => [rate, taxable, tax]);
    stage.expect('taxes', taxes, [[8.875, eur(2_598), eur(231)]]);
    stage.expect('due in cash', sale.body.outstandingInCash, eur(2_830));
    const paid = await pay(stage, id, { title: 'Pay with 30.00 in cash', tender: CASH, amount: 3_000 });
    stage.expect('change', paid.body.change, eur(170));
    stage.expect('rounding', [paid.body.rounding, paid.body.receipt?.rounding], [eur(1), eur(1)]);
    const order = await stage.step({ title: 'The order costs what the receipt shows', call: `GET /orders/${id}` });
    stage.expect('total', order.body.totals.total, eur(2_829));
    const returned = await stage.step({
      title: 'Bring one mug back to the store',
      call: 'POST /returns',
      body: {
        orderId: id,
        lines: [{ orderLineId: order.body.lines[0]?.lineId ?? '', qty: 1, reason: 'Too blue' }],
        locationId: 'store-01',
      },
    });
    await stage.advance('P5D');
    const after = await stage.step({ title: 'The mug is refunded in cash', call: `GET /orders/${id}` });
    stage.expect('value of the return', after.body.returns?.find((one) => one.id === returned.body.id)?.refundAmount, eur(1_414));
    const [refund] = after.body.refunds ?? [];
    stage.expect('refund and rounding', [refund?.amount, refund?.rounding], [eur(1_414), eur(1)]);
  },
};
