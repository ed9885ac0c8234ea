import { describe, expect } from '@jest/globals';
import { estate, type TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

/** Two mugs and their shipping. */
const TOTAL = 3088;
/** Two mugs at the till. */
const SALE = 2598;

const statesOf = async (rehearsal: TestRehearsal, orderId: string) => (await rehearsal.order(orderId)).payments.map(({ state }) => state);
const capture = (rehearsal: TestRehearsal, id: string) => rehearsal.call('capture-payment-api', { params: { id }, body: {} });

describe('A card whose capture is declined', () => {
  const DECLINED = { code: 'payment_declined', declineCode: 'capture_declined', objectType: 'payment', retryable: false };
  const refusing = card('tok_decline_at_capture');

  /** A confirmed order with the payment of this card. */
  async function confirmedWith(rehearsal: TestRehearsal) {
    const { id } = await rehearsal.draft();
    const payment = await rehearsal.authorisation(id, undefined, refusing.token);
    await rehearsal.confirmed(id);
    return { id, paymentId: payment.id };
  }

  test('An order in fulfilment waits for another tender, which is captured, and is dispatched', async (rehearsal) => {
    const { id } = await confirmedWith(rehearsal);
    const fulfillmentOrderId = await rehearsal.onlyFulfilment(id);
    await rehearsal.packed(fulfillmentOrderId);
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying', paymentStatus: 'unpaid' });
    const owed = { code: 'payment_incomplete', outstanding: eur(TOTAL) };
    expect(await rehearsal.dispatch(fulfillmentOrderId)).toMatchObject({ status: 409, body: owed });
    await rehearsal.advance('PT5M');
    await rehearsal.authorisation(id, 1000, 'tok_mastercard');
    await rehearsal.authorisation(id);
    await rehearsal.advance('PT2M');
    const order = await rehearsal.order(id);
    expect(order).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(order).not.toHaveProperty('captureStatus');
    expect(await statesOf(rehearsal, id)).toEqual(['failed', 'captured', 'captured']);
    expect((await rehearsal.dispatch(fulfillmentOrderId)).status).toBe(200);
  });

  test('An order in fulfilment without another tender is cancelled after the last attempt', async (rehearsal) => {
    const { id } = await confirmedWith(rehearsal);
    await rehearsal.picked(await rehearsal.onlyFulfilment(id));
    await rehearsal.advance('PT35M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await rehearsal.advance('PT2M');
    const ended = { state: 'cancelled', cancelReason: 'capture-failed', fulfillmentOrders: [{ state: 'cancelled' }] };
    expect(await rehearsal.order(id)).toMatchObject(ended);
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  });

  test.each([
    ['is cancelled after a day', false, { state: 'cancelled', cancelReason: 'authorisation-lost' }],
    ['stays confirmed with another tender', true, { state: 'confirmed', paymentStatus: 'authorised' }],
  ])('A confirmed order whose payment a client failed to capture %s', async (rehearsal, _, isReplaced, expected) => {
    const { id, paymentId } = await confirmedWith(rehearsal);
    expect(await capture(rehearsal, paymentId)).toMatchObject({ status: 402, body: { ...DECLINED, paymentId } });
    expect(await rehearsal.object('payment', paymentId)).toMatchObject({ state: 'failed', declineCode: 'capture_declined' });
    await rehearsal.advance('PT23H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    if (isReplaced) await rehearsal.authorisation(id);
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject(expected);
  });

  test('A lost answer of the declined capture changes nothing: the order waits for another tender', async (rehearsal) => {
    const { id } = await confirmedWith(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await rehearsal.picked(await rehearsal.onlyFulfilment(id));
    await rehearsal.settle();
    await rehearsal.authorisation(id);
    await rehearsal.advance('PT7M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
  });

  test('At the till the sale stays open with the whole amount outstanding, and other tenders complete it once', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    const { status, body } = await rehearsal.pay(id, refusing, SALE);
    expect([status, body]).toMatchObject([
      201,
      { state: 'failed', outstanding: eur(SALE), transactionState: 'open', orderSubmission: 'none' },
    ]);
    expect(body).not.toHaveProperty('receipt');
    expect((await rehearsal.pay(id, CASH, 598)).body).toMatchObject({ outstanding: eur(2000), transactionState: 'open' });
    expect((await rehearsal.pay(id, card(), 2000)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    expect(await statesOf(rehearsal, id)).toEqual(['failed', 'captured', 'captured']);
  });

  test('A sale that waits for the OMS shows what is owed once its capture was declined', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await rehearsal.down('oms');
    expect((await rehearsal.pay(id, refusing, SALE)).body).toMatchObject({ transactionState: 'paid', orderSubmission: 'queued' });
    await rehearsal.advance('P1DT1M');
    await rehearsal.noFaults();
    await rehearsal.advance('PT13H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'unpaid', payments: [{ state: 'failed' }] });
    expect((await rehearsal.pay(id, CASH, SALE)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
  });
});

describe('A card that can pay a part', () => {
  const poor = card('tok_partial_60');
  /** 60 % of the total, rounded down. */
  const PART = 1852;
  const authorise = (rehearsal: TestRehearsal, orderId: string, more: object, headers: Record<string, string> = {}) =>
    rehearsal.call('authorize-payment-api', { body: { orderId, tender: poor, ...more }, headers });

  test('An order is confirmed and shipped when another tender pays the rest', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await authorise(rehearsal, id, { acceptPartial: true });
    expect((await rehearsal.order(id)).payments).toMatchObject([{ amount: eur(TOTAL), authorizedAmount: eur(PART) }]);
    const early = await rehearsal.confirm(id);
    expect(early).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(TOTAL - PART), retryable: false } });
    expect(await rehearsal.authorisation(id)).toMatchObject({ amount: eur(TOTAL - PART), authorizedAmount: eur(TOTAL - PART) });
    await rehearsal.confirmed(id);
    await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
    await rehearsal.settle();
    const order = await rehearsal.order(id);
    expect(order).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(order.payments.map(({ capturedAmount }) => capturedAmount.amount)).toEqual([PART, TOTAL - PART]);
  });

  test('A gift card pays its balance if the request accepts a part, and an empty one is declined', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const pay = () =>
      rehearsal.call('authorize-payment-api', {
        body: { orderId: id, tender: { type: 'gift-card', token: 'gift_5' }, acceptPartial: true },
      });
    expect(await pay()).toMatchObject({ status: 201, body: { authorizedAmount: eur(500), amount: eur(TOTAL) } });
    expect(await pay()).toMatchObject({ status: 402, body: { declineCode: 'insufficient_funds', availableAmount: eur(0) } });
    await rehearsal.cancel(id);
    await rehearsal.settle();
    const next = await rehearsal.draft();
    const again = await rehearsal.authorisation(next.id, 500, { type: 'gift-card', token: 'gift_5' });
    expect(again).toMatchObject({ authorizedAmount: eur(500) });
  });

  test('The till shows what is outstanding after a part, and the receipt lists the parts', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    const add = (more: object) => rehearsal.call('add-payment-api', { params: { id }, body: { tender: poor, amount: eur(SALE), ...more } });
    expect(await add({})).toMatchObject({ status: 402, body: { declineCode: 'insufficient_funds', availableAmount: eur(1558) } });
    const part = { state: 'authorised', amount: eur(SALE), authorizedAmount: eur(1558), outstanding: eur(1040), transactionState: 'open' };
    expect(await add({ acceptPartial: true })).toMatchObject({ status: 201, body: part });
    const { body } = await rehearsal.pay(id, CASH, 1040);
    expect(body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    expect(body.receipt.tenders.map(({ amount }: { amount: object }) => amount)).toEqual([eur(1558), eur(1040)]);
  });

  test('The till reads the approved part of a tender whose answer was lost', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 });
    const body = { tender: poor, amount: eur(SALE), acceptPartial: true };
    expect((await rehearsal.call('add-payment-api', { params: { id }, body })).status).toBe(504);
    expect((await rehearsal.pay(id, card(), SALE)).body).toMatchObject({ code: 'overpayment', outstanding: eur(1040) });
    expect((await rehearsal.pay(id, CASH, 1040)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
  });
});

describe('A card with 3-D Secure', () => {
  const secure = card('tok_3ds');
  const key = (value: string) => ({ 'idempotency-key': value });

  /** A draft order whose payment awaits its customer. */
  async function awaiting(rehearsal: TestRehearsal, more: object = {}) {
    const { id } = await rehearsal.draft();
    const { status, body } = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: secure, ...more } });
    expect([status, body]).toMatchObject([201, { state: 'requires-action', authorizedAmount: eur(0), nextAction: { type: 'redirect' } }]);
    return { id, paymentId: body.id as string, url: body.nextAction.url as string };
  }
  const decide = (rehearsal: TestRehearsal, id: string, outcome: 'succeeded' | 'failed') =>
    rehearsal.call('complete-payment-action-by-hand', { params: { id }, body: { outcome } });
  const eventsOf = async (rehearsal: TestRehearsal, id: string) =>
    (await rehearsal.events({ subject: `payment/${id}`, ext: true })).map(
      ({ type, data: { object } }) => `${type.replace('com.unified-commerce.', '')} ${object.state}`,
    );

  test('Confirm Order is refused until the customer approves, and the approval authorises the payment with its event', async (rehearsal) => {
    const { id, paymentId } = await awaiting(rehearsal);
    const early = await rehearsal.confirm(id);
    const waiting = { code: 'payment_incomplete', outstanding: eur(TOTAL), retryable: true, pending: [{ paymentId, amount: eur(TOTAL) }] };
    expect(early).toMatchObject({ status: 409, body: waiting });
    expect(early.body.detail).toContain(`The customer has to complete the action of "${paymentId}"`);
    const more = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card() } });
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', retryable: true } });
    expect(await capture(rehearsal, paymentId)).toMatchObject({ status: 409, body: { currentState: 'requires-action' } });
    await rehearsal.verify();
    const { status, body } = await decide(rehearsal, paymentId, 'succeeded');
    expect([status, body]).toMatchObject([200, { state: 'authorised', authorizedAmount: eur(TOTAL) }]);
    expect(body.authorizationCode).toMatch(/^[0-9A-F]{6}$/);
    expect(body).not.toHaveProperty('nextAction');
    expect(await eventsOf(rehearsal, paymentId)).toEqual(['ext.payment-changed requires-action', 'payment-authorized authorised']);
    expect((await rehearsal.confirm(id)).status).toBe(200);
  });

  test.each([
    ['the customer rejects it', 'authentication_failed', (rehearsal: TestRehearsal, id: string) => decide(rehearsal, id, 'failed')],
    ['nobody decides for 15 minutes', 'authentication_expired', (rehearsal: TestRehearsal) => rehearsal.advance('PT15M')],
  ])('A payment fails when %s (%s), and another tender pays', async (rehearsal, _, declineCode, end) => {
    const { id, paymentId } = await awaiting(rehearsal);
    await rehearsal.advance('PT14M');
    expect((await rehearsal.object('payment', paymentId)).state).toBe('requires-action');
    await end(rehearsal, paymentId);
    const failed = await rehearsal.object('payment', paymentId);
    expect(failed).toMatchObject({ state: 'failed', declineCode });
    expect(failed).not.toHaveProperty('nextAction');
    expect(await rehearsal.authorisation(id)).toMatchObject({ amount: eur(TOTAL) });
  });

  test('A decision is final: the next one is refused, and an unknown payment is not found', async (rehearsal) => {
    const { paymentId } = await awaiting(rehearsal);
    await decide(rehearsal, paymentId, 'failed');
    const refused = { code: 'invalid_state_transition', currentState: 'failed', allowedFrom: ['requires-action'] };
    expect(await decide(rehearsal, paymentId, 'succeeded')).toMatchObject({ status: 409, body: refused });
    expect((await decide(rehearsal, 'pay_nobody', 'failed')).status).toBe(404);
    const both = await Promise.all(
      [await awaiting(rehearsal)].flatMap((one) => [
        decide(rehearsal, one.paymentId, 'succeeded'),
        decide(rehearsal, one.paymentId, 'failed'),
      ]),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test.each([
    [
      'Void Payment',
      (rehearsal: TestRehearsal, { paymentId }: { paymentId: string }) => rehearsal.api('void-payment-api', { params: { id: paymentId } }),
    ],
    ['Cancel Order', (rehearsal: TestRehearsal, { id }: { id: string }) => rehearsal.cancel(id)],
  ])('A payment that awaits its customer ends by %s', async (rehearsal, _, end) => {
    const one = await awaiting(rehearsal);
    await end(rehearsal, one);
    await rehearsal.settle();
    expect((await rehearsal.object('payment', one.paymentId)).state).toBe('voided');
    expect((await decide(rehearsal, one.paymentId, 'succeeded')).status).toBe(409);
    await rehearsal.advance('PT16M');
  });

  test('A repeat after a lost answer gets the same payment, before and after the decision', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const send = (returnUrl?: string) =>
      rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: secure, returnUrl }, headers: key('secure') });
    await rehearsal.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 });
    expect((await send()).status).toBe(504);
    const { body } = await send();
    expect(body).toMatchObject({ state: 'requires-action' });
    expect((await send('https://shop.example/back')).body.code).toBe('idempotency_key_reused');
    await decide(rehearsal, body.id, 'succeeded');
    expect((await rehearsal.order(id)).payments).toMatchObject([{ id: body.id, state: 'authorised' }]);
  });

  test.each(['javascript:alert(1)', 'shop.example/back', 'ftp://shop.example'])(
    'The returnUrl %s is refused with the reason',
    async (rehearsal, returnUrl) => {
      const { id } = await rehearsal.draft();
      const { status, body } = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: secure, returnUrl } });
      expect([status, body.errors]).toMatchObject([422, [{ pointer: '/returnUrl', detail: expect.stringContaining('http://') }]]);
    },
  );

  test('A card reader needs no 3-D Secure: the till takes the card as approved', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    expect((await rehearsal.pay(id, secure, SALE)).body).toMatchObject({ state: 'authorised', transactionState: 'completed' });
  });

  test('The OMS renews an authenticated payment without its customer', async (rehearsal) => {
    const { id, paymentId } = await awaiting(rehearsal);
    await decide(rehearsal, paymentId, 'succeeded');
    await rehearsal.confirmed(id);
    await rehearsal.advance('P7DT1M');
    expect(await statesOf(rehearsal, id)).toEqual(['voided', 'authorised']);
  });
});

describe('The page of 3-D Secure', () => {
  async function opened(rehearsal: TestRehearsal, returnUrl?: string) {
    const { id } = await rehearsal.draft();
    const body = { orderId: id, tender: card('tok_3ds'), returnUrl };
    const { id: paymentId, nextAction } = await rehearsal.api('authorize-payment-api', { body });
    return { orderId: id, paymentId, url: new URL(nextAction?.url ?? '', estate.gateway) };
  }
  const read = (url: URL | string) => fetch(url, { redirect: 'manual' });
  const press = (url: URL, button: 'approve' | 'reject') => fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual' });
  const stateOf = async (rehearsal: TestRehearsal, id: string) => (await rehearsal.object('payment', id)).state;

  test('The page has the amount and two buttons, no script, and is not stored', async (rehearsal) => {
    const { url, orderId } = await opened(rehearsal);
    const answer = await read(url);
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const part of ['30.88 EUR', orderId, '/approve"', '/reject"', 'ending in ']) expect(html).toContain(part);
    expect(html).not.toContain('<script');
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "form-action 'self';", "frame-ancestors 'none'"]) expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    expect([answer.headers.get('cache-control'), answer.headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
  });

  test.each([
    ['approve', 'authorised', 'The payment was approved'],
    ['reject', 'failed', 'The payment failed'],
  ] as const)('The button %s makes the payment %s, once', async (rehearsal, button, state, heading) => {
    const { url, paymentId } = await opened(rehearsal);
    const other = button === 'approve' ? 'reject' : 'approve';
    for (const pressed of [button, other, button] as const) {
      const answer = await press(url, pressed);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, url.pathname]);
      expect(await stateOf(rehearsal, paymentId)).toBe(state);
    }
    const html = await (await read(url)).text();
    expect(html).toContain(heading);
    expect(html).not.toContain('<form');
  });

  test('The browser returns to the shop with the payment and its state', async (rehearsal) => {
    const { url, paymentId } = await opened(rehearsal, 'https://shop.example/done?basket=a%26b#end');
    expect((await read(url)).headers.get('content-security-policy')).toContain("form-action 'self' https://shop.example;");
    const back = `https://shop.example/done?basket=a%26b&payment_id=${paymentId}&state=authorised#end`;
    expect((await press(url, 'approve')).headers.get('location')).toBe(back);
    expect((await press(url, 'reject')).headers.get('location')).toBe(url.pathname);
    expect(await (await read(url)).text()).toContain(back.replaceAll('&', '&amp;'));
  });

  test('The address fits one payment of one rehearsal', async (rehearsal) => {
    await using elsewhere = await byHand();
    const [one, two, foreign] = [await opened(rehearsal), await opened(rehearsal), await opened(elsewhere)];
    const [, , name = '', , token = ''] = one.url.pathname.split('/');
    const wrong = [
      one.url.href.replace(one.paymentId, two.paymentId),
      one.url.href.replace(name, foreign.url.pathname.split('/')[2] ?? ''),
      one.url.href.replace(token, '0'.repeat(40)),
      one.url.href.replace(token, '0'),
      one.url.href.replace(name, 'nobody'),
    ];
    for (const address of wrong) {
      const answers = [await read(address), await press(new URL(address), 'approve')];
      for (const answer of answers)
        expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('belongs to no payment')]);
    }
    for (const { paymentId } of [one, two]) expect(await stateOf(rehearsal, paymentId)).toBe('requires-action');
    expect((await fetch(`${one.url}/later`, { method: 'POST' })).status).toBe(404);
  });
});
