import type { Reply } from '../estate-client.ts';
import type { Scenario, Stage } from '../scenario.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const CASH = { type: 'cash' };
const card = (token: string) => ({ type: 'card', token });

/** A checkout at the till of the Galway store. */
async function scanned(stage: Stage, line: { sku: string; qty: number }): Promise<{ id: string; total: number }> {
  const { body } = await stage.step({
    title: `Scan ${line.qty} × ${line.sku} at the till`,
    call: 'POST /transactions',
    body: { storeId: 'store-01', laneId: 'lane-1', lines: [line] },
  });
  return { id: body.id, total: body.totals.total.amount };
}

interface TenderAsked {
  readonly title: string;
  readonly tender: object;
  readonly amount: number;
  readonly status?: number;
  readonly events?: readonly string[];
}

const pay = (stage: Stage, id: string, { title, tender, amount, ...expected }: TenderAsked): Promise<Reply> =>
  stage.step({ title, call: `POST /transactions/${id}/payment`, body: { tender, amount: eur(amount) }, ...expected });

const stateOf = (payments: readonly { state: string }[]): string[] => payments.map(({ state }) => state);

/** Pain: the second of two tenders is declined. The first one stands; the till takes another one for the rest. */
export const splitTender: Scenario = {
  name: 'split-tender',
  title: 'Two tenders at the till, and the second one is declined',
  flows: [1, 3],
  pains: ['split-tender'],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 2 });
    const cash = await pay(stage, id, { title: '10.00 in cash', tender: CASH, amount: 1000, events: ['payment-authorized'] });
    stage.expect('outstanding', cash.body.outstanding, eur(total - 1000));
    const no = card('tok_decline_do_not_honor');
    const declined = await pay(stage, id, { title: 'The card is declined', tender: no, amount: total - 1000, status: 402, events: [] });
    stage.expect('refused as', declined.body.code, 'payment_declined');
    const paid = await pay(stage, id, {
      title: 'Another card pays the rest; the till submits the sale by itself',
      tender: card('tok_visa'),
      amount: total - 1000,
      events: ['payment-authorized', 'order-created', 'order-confirmed', 'payment-captured', 'payment-captured'],
    });
    stage.expect('outstanding', paid.body.outstanding, eur(0));
    stage.expect('transaction', paid.body.transactionState, 'completed');
    stage.expect(
      'tenders on the receipt',
      paid.body.receipt.tenders.map(({ type }: { type: string }) => type),
      ['cash', 'card'],
    );
    const order = await stage.step({ title: 'The order has the same id', call: `GET /orders/${id}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payment status', order.body.paymentStatus, 'paid');
  },
};

/** The customer has paid a part, and leaves without the goods. */
export const voidedAtTheTill: Scenario = {
  name: 'void-transaction',
  title: 'A checkout at the till is voided after two tenders, the last one first',
  flows: [1],
  pains: ['split-tender'],
  async run(stage) {
    const { id } = await scanned(stage, { sku: 'mug-blue', qty: 2 });
    await pay(stage, id, { title: '5.00 in cash', tender: CASH, amount: 500 });
    await pay(stage, id, { title: '5.00 from a gift card', tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 });
    const voided = await stage.step({
      title: 'Void: tenders are voided, the stock is released',
      call: `POST /transactions/${id}/void`,
      body: { reason: 'changed my mind' },
      events: ['checkout-cancelled'],
    });
    stage.expect('order', voided.body.state, 'cancelled');
    stage.expect('tenders', stateOf(voided.body.payments), ['voided', 'voided']);
    const again = await stage.step({ title: 'Once more changes nothing', call: `POST /transactions/${id}/void`, body: {}, events: [] });
    stage.expect('order', again.body.state, 'cancelled');
    const late = await pay(stage, id, { title: 'Nothing can be paid any more', tender: CASH, amount: 500, status: 409, events: [] });
    stage.expect('refused as', late.body.code, 'invalid_state_transition');
    const next = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await pay(stage, next.id, { title: 'The gift card has its 5.00 again', tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 });
    await stage.step({ title: 'Void that one too', call: `POST /transactions/${next.id}/void`, body: {} });
  },
};

/** Flow 3's failure column: the sale stands, and is submitted when the OMS is back, once. */
export const storeAndForward: Scenario = {
  name: 'store-and-forward',
  title: 'The OMS is down when a sale at the till is paid',
  flows: [3],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await stage.fault('down', { match: { application: 'oms' }, fault: { kind: 'outage' } });
    const paid = await pay(stage, id, {
      title: 'Paid: the customer goes home',
      tender: CASH,
      amount: total,
      events: ['payment-authorized'],
    });
    stage.expect('transaction', paid.body.transactionState, 'paid');
    stage.expect('submission', paid.body.orderSubmission, 'queued');
    const refused = await stage.step({ title: 'A sale is not voided', call: `POST /transactions/${id}/void`, body: {}, status: 409 });
    stage.expect('refused as', refused.body.code, 'invalid_state_transition');
    await stage.advance('PT10M');
    await stage.noFaults();
    await stage.advance('PT1H');
    const order = await stage.step({ title: 'The OMS is back and has the order', call: `GET /orders/${id}` });
    stage.expect('order', order.body.state, 'completed');
    stage.expect('payments', stateOf(order.body.payments), ['captured']);
  },
};

/** Flow 3's failure column: more goods are carried out than any counter knew of. */
export const stockDiscrepancy: Scenario = {
  name: 'stock-discrepancy',
  title: 'The store sells three vases of which no counter knows',
  flows: [3],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'vase-sold-out', qty: 3 });
    const paid = await pay(stage, id, { title: 'They lie on the counter, and are paid', tender: card('tok_visa'), amount: total });
    stage.expect('transaction', paid.body.transactionState, 'completed');
    const order = await stage.step({ title: 'The order says so', call: `GET /orders/${id}` });
    stage.expect('stock discrepancy', order.body.stockDiscrepancy, true);
    stage.expect('carried out', order.body.lines[0].fulfilledQty, 3);
    const stock = await stage.step({ title: 'No counter is below zero', call: 'GET /inventory/items/vase-sold-out' });
    stage.expect(
      'on hand',
      stock.body.locations.map(({ onHand }: { onHand: number }) => onHand),
      stock.body.locations.map(() => 0),
    );
  },
};

/** Flow 1's failure column: the answer to a tender is lost. */
export const lostTender: Scenario = {
  name: 'lost-tender',
  title: 'Nobody hears whether a tender was authorised: the till asks the Payment Hub before it takes another one',
  flows: [1],
  pains: ['unknown-outcome'],
  async run(stage) {
    const { id, total } = await scanned(stage, { sku: 'mug-blue', qty: 1 });
    await stage.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await pay(stage, id, { title: 'The answer is lost', tender: card('tok_visa'), amount: 500, status: 504 });
    const tooMuch = await pay(stage, id, {
      title: 'The tender is there: all of it again is too much',
      tender: CASH,
      amount: total,
      status: 409,
    });
    stage.expect('outstanding', tooMuch.body.outstanding, eur(total - 500));
    const paid = await pay(stage, id, { title: 'The rest', tender: CASH, amount: total - 500 });
    stage.expect('transaction', paid.body.transactionState, 'completed');
    stage.expect('tenders on the receipt', paid.body.receipt.tenders.length, 2);
  },
};
