import type { Answer, Bench, Body, Input } from './bench.ts';
import { type CallPlan, rulesOf, type Suite } from './suite.ts';

/** Total of the order, in minor units. */
const TOTAL = 2_598;
const PART = 1_000;

/** An authorisation as the OMS sends it: with the order, so that the system need not call back. */
function authorisation(bench: Bench, { orderId = bench.unique('ord_'), amount = TOTAL, card = 'card' } = {}): Input {
  const payable = { orderId, channel: 'web', state: 'draft', total: bench.money(TOTAL) };
  return { body: { orderId, tender: { type: 'card', token: bench.id(card) }, amount: bench.money(amount), payable } };
}

const authorised = (bench: Bench): Promise<Body> => bench.prepare('authorize-payment-api', authorisation(bench));

async function captured(bench: Bench): Promise<Body> {
  const { id } = await authorised(bench);
  return bench.prepare('capture-payment-api', { params: { id }, body: {} });
}

async function refunded(bench: Bench, amount: number): Promise<Body> {
  const { id } = await captured(bench);
  return bench.prepare('refund-payment-api', { params: { id }, body: { amount: bench.money(amount) } });
}

async function voided(bench: Bench): Promise<Body> {
  const { id } = await authorised(bench);
  return bench.prepare('reverse-payment', { params: { id }, body: {} });
}

const paymentsOf = async (bench: Bench, orderId: string): Promise<readonly Body[]> =>
  (await bench.prepare('list-payments', { query: { orderId } })).items;

async function declined(bench: Bench): Promise<Body> {
  const input = authorisation(bench, { card: 'declined-card' });
  await bench.call('authorize-payment-api', input);
  const [payment] = await paymentsOf(bench, String(input.body?.['orderId']));
  return payment;
}

/** A payment as the list has it. */
async function listed(bench: Bench, { id, orderId }: Body): Promise<Body> {
  return (await paymentsOf(bench, orderId)).find((one) => one.id === id);
}

const amountsOf = ({ state, authorizedAmount, capturedAmount, refundedAmount, refunds }: Body) => ({
  state,
  authorizedAmount,
  capturedAmount,
  refundedAmount,
  refunds: refunds.length,
});

/** The plan of a call that changes a payment. The list of the order's payments shows its effect. */
function aboutPayment(make: (bench: Bench) => Promise<Body>, body: (bench: Bench) => Body = () => ({})): CallPlan {
  const orders = new WeakMap<Input, Body>();
  return {
    valid: async (bench) => {
      const payment = await make(bench);
      const input = { params: { id: payment.id }, body: body(bench) };
      orders.set(input, payment);
      return input;
    },
    effect: async (bench, input) => amountsOf(await listed(bench, orders.get(input))),
  };
}

/** Cash that the till takes for the order. */
function cash(bench: Bench, orderId: string, amount: number): Input {
  const payable = { orderId, channel: 'pos', state: 'draft', total: bench.money(TOTAL) };
  return { body: { orderId, tender: { type: 'cash' }, amount: bench.money(amount), payable } };
}

const paidInCash = ({ state, amount, tendered, change }: Body) => [state, amount.amount, tendered?.amount, change?.amount];

/** Members of an approved payment that scenarios need. */
function lackedByPayment({ state, tender, ...payment }: Body, lacks: ReadonlySet<string>): readonly string[] {
  if (state === 'failed' || state === 'pending') return [];
  const expiry = lacks.has('authorization-expiry') ? [] : ['authorizationExpiresAt'];
  const needed = { card: ['authorizationCode', ...expiry], bnpl: ['authorizationCode'], cash: ['tendered', 'change'] };
  const lacked = (needed[tender.type as keyof typeof needed] ?? []).filter((name) => payment[name] === undefined);
  return tender.type === 'card' && tender.last4 === undefined ? [...lacked, 'tender.last4'] : lacked;
}

function lackedBy({ status, body }: Answer, lacks: ReadonlySet<string>): readonly string[] {
  if (body?.code === 'refund_exceeds_captured') return body.refundableAmount === undefined ? ['refundableAmount'] : [];
  const payments: readonly Body[] = status < 300 ? (body?.items ?? [body]) : [];
  return [...new Set(payments.filter((one) => one?.tender !== undefined).flatMap((one) => lackedByPayment(one, lacks)))];
}

const aPart = (bench: Bench): Body => ({ amount: bench.money(PART) });

const authorizing = rulesOf('authorize-payment-api');
const capturing = rulesOf('capture-payment-api');
const refunding = rulesOf('refund-payment-api');
const listing = rulesOf('list-payments');
const reversing = rulesOf('reverse-payment');

export const paymentHubSuite: Suite = {
  application: 'payment-hub',
  ids: {
    card: { meaning: 'token of a card that is approved', value: 'tok_visa' },
    'declined-card': { meaning: 'token of a card that is declined', value: 'tok_decline_do_not_honor' },
  },
  capabilities: {
    cash: 'cash as a tender at the till, with change',
    'authorization-expiry': 'an authorisation of a card shows when it ends',
    'gift-card': 'gift cards as tenders',
    'exchange-credit': 'the value of a return as a tender',
    'partial-approval': 'the token tok_partial_60 is approved in part',
    'decline-at-capture': 'the token tok_decline_at_capture is declined at capture',
    'customer-action': 'the token tok_3ds waits for the customer (3-D Secure)',
    'pending-refund': 'refunds to tok_refund_later and tok_refund_fails are decided a day later',
    dispute: 'disputes that the control plane opens and decides',
  },
  calls: {
    'authorize-payment-api': {
      // A second payment of this amount would fit, so that an effect without a key shows.
      valid: async (bench) => authorisation(bench, { amount: PART }),
      effect: async (bench, { body }) => (await paymentsOf(bench, String(body?.['orderId']))).map(amountsOf),
    },
    'capture-payment-api': aboutPayment(authorised, aPart),
    'refund-payment-api': aboutPayment(captured, aPart),
    'list-payments': {
      valid: async (bench) => ({ query: { orderId: (await authorised(bench)).orderId } }),
    },
    'reverse-payment': aboutPayment(captured, () => ({ reason: 'conform' })),
    'void-payment-api': aboutPayment(authorised),
    'dispute-payment': { ...aboutPayment(captured, () => ({ reason: 'fraudulent' })), needs: 'dispute' },
    'decide-dispute': {
      ...aboutPayment(
        async (bench) => {
          const { id } = await captured(bench);
          return bench.prepare('dispute-payment', { params: { id }, body: { reason: 'fraudulent' } });
        },
        () => ({ outcome: 'won' }),
      ),
      needs: 'dispute',
    },
    'change-gift-card': {
      valid: async (bench) => ({ params: { id: bench.unique('gift_') }, body: { balance: bench.money(PART) } }),
      needs: 'gift-card',
    },
  },
  rules: [
    authorizing('currency', 'answers in the currency of the request', async (bench) => {
      const { amount, authorizedAmount, capturedAmount, refundedAmount } = await authorised(bench);
      for (const one of [amount, authorizedAmount, capturedAmount, refundedAmount]) bench.expect('Currency', one.currency, bench.currency);
    }),
    authorizing('authorised-amount', 'authorises the requested amount, and lists it for its order', async (bench) => {
      const payment = await bench.prepare('authorize-payment-api', authorisation(bench, { amount: PART }));
      bench.expect('Authorised', [payment.state, payment.authorizedAmount.amount], ['authorised', PART]);
      bench.expect('In the list of the order', (await listed(bench, payment))?.authorizedAmount.amount, PART);
    }),
    authorizing('authorization-code', 'answers an approved card with the code of its provider, and lists it', async (bench) => {
      const payment = await authorised(bench);
      for (const one of [payment, await listed(bench, payment)])
        bench.expect('Whether an approved card has an authorizationCode', typeof one?.authorizationCode, 'string');
    }),
    authorizing('last-digits', 'answers a card with its last four digits, and lists them', async (bench) => {
      const payment = await authorised(bench);
      for (const one of [payment, await listed(bench, payment)])
        bench.expect('Whether a card has four digits as last4', /^\d{4}$/.test(one?.tender.last4 ?? ''), true);
    }),
    rulesOf('authorize-payment-api', 'authorization-expiry')(
      'authorization-expiry',
      'answers an approved card with the instant when its authorisation ends',
      async (bench) => {
        const { authorizationExpiresAt = '' } = await authorised(bench);
        bench.expect('Whether authorizationExpiresAt is in the future', Date.parse(authorizationExpiresAt) > Date.now(), true);
      },
    ),
    rulesOf('authorize-payment-api', 'cash')(
      'cash',
      'answers cash with what was handed over and the change, also above what is outstanding',
      async (bench) => {
        const orderId = bench.unique('ord_');
        const first = await bench.prepare('authorize-payment-api', cash(bench, orderId, PART));
        bench.expect('State, amount, tendered and change of cash', paidInCash(first), ['authorised', PART, PART, 0]);
        const rest = await bench.prepare('authorize-payment-api', cash(bench, orderId, TOTAL));
        for (const one of [rest, await listed(bench, rest)])
          bench.expect('State, amount, tendered and change above the rest', paidInCash(one), ['authorised', TOTAL - PART, TOTAL, PART]);
      },
    ),
    authorizing('outstanding', 'authorises what is outstanding by default, and never more', async (bench) => {
      const first = authorisation(bench, { amount: PART });
      const orderId = String(first.body?.['orderId']);
      await bench.prepare('authorize-payment-api', first);
      await bench.refused('authorize-payment-api', authorisation(bench, { orderId }), 'More than what is outstanding', 409);
      const { amount: _default, ...rest } = authorisation(bench, { orderId }).body ?? {};
      bench.expect('Amount by default', (await bench.prepare('authorize-payment-api', { body: rest })).amount.amount, TOTAL - PART);
    }),
    authorizing('declined', 'answers a declined card with 402, and authorises no money', async (bench) => {
      const input = authorisation(bench, { card: 'declined-card' });
      await bench.refused('authorize-payment-api', input, 'A declined card', 402);
      const states = (await paymentsOf(bench, String(input.body?.['orderId']))).map(({ state }) => state);
      const others = states.filter((state) => state !== 'failed');
      bench.expect('Payments of the order that did not fail', others, []);
    }),
    capturing('capture-limit', 'never captures more than the authorised amount', async (bench) => {
      const payment = await authorised(bench);
      const input = { params: { id: payment.id }, body: { amount: bench.money(TOTAL + 1) } };
      await bench.refused('capture-payment-api', input, 'A capture above the authorised amount', 409);
      bench.expect('Captured after the refusal', (await listed(bench, payment))?.capturedAmount.amount, 0);
    }),
    capturing('part-captured', 'captures a part on request, and the whole amount by default', async (bench) => {
      const { id } = await authorised(bench);
      const part = await bench.prepare('capture-payment-api', { params: { id }, body: aPart(bench) });
      bench.expect('Captured', [part.state, part.capturedAmount.amount], ['captured', PART]);
      bench.expect('Captured by default', (await captured(bench)).capturedAmount.amount, TOTAL);
    }),
    refunding('refund-listed', 'lists each refund with its amount', async (bench) => {
      const payment = await refunded(bench, PART);
      bench.expect('Refunded in the answer', [payment.refundedAmount.amount, payment.refunds.length], [PART, 1]);
      const found = await listed(bench, payment);
      bench.expect(
        'Refunds in the list',
        [found?.refundedAmount.amount, found?.refunds.map(({ amount }: Body) => amount.amount)],
        [PART, [PART]],
      );
    }),
    refunding('refund-limit', 'never refunds more than the captured amount, and answers what can still be refunded', async (bench) => {
      const payment = await refunded(bench, PART);
      const input = { params: { id: payment.id }, body: { amount: bench.money(TOTAL - PART + 1) } };
      const { refundableAmount } = (await bench.refused('refund-payment-api', input, 'A refund above the rest', 409)) ?? {};
      bench.expect('refundableAmount in the refusal', refundableAmount?.amount, TOTAL - PART);
      bench.expect('Refunded after the refusal', (await listed(bench, payment))?.refundedAmount.amount, PART);
    }),
    refunding('one-reference', 'refunds once for one reference, whatever the key', async (bench) => {
      const { id } = await captured(bench);
      const input = { params: { id }, body: { ...aPart(bench), reference: bench.unique('ref-') } };
      await bench.prepare('refund-payment-api', input);
      bench.expect('Refunded', (await bench.prepare('refund-payment-api', input)).refundedAmount.amount, PART);
    }),
    listing('own-order', 'lists the payments of the order only', async (bench) => {
      const { id, orderId } = await authorised(bench);
      await authorised(bench);
      const ids = (await paymentsOf(bench, orderId)).map((one) => one.id);
      bench.expect('Payments of the order', ids, [id]);
      bench.expect('Payments of an unknown order', await paymentsOf(bench, bench.unique('ord_')), []);
    }),
    reversing('reverse-authorised', 'voids an authorisation', async (bench) =>
      bench.expect('State', (await voided(bench)).state, 'voided'),
    ),
    reversing('reverse-captured', 'refunds the rest of a captured payment, once', async (bench) => {
      const { id } = await refunded(bench, PART);
      for (const time of ['once', 'twice']) {
        const payment = await bench.prepare('reverse-payment', { params: { id }, body: {} });
        bench.expect(`Reversed ${time}`, [payment.state, payment.refundedAmount.amount], ['fully-refunded', TOTAL]);
      }
    }),
  ],
  objects: {
    payment: {
      reach: {
        authorised,
        captured,
        'partially-refunded': (bench) => refunded(bench, PART),
        'fully-refunded': (bench) => refunded(bench, TOTAL),
        voided,
        failed: declined,
      },
      verbs: {
        capture: { call: 'capture-payment-api', input: ({ id }) => ({ params: { id }, body: {} }) },
        void: { call: 'void-payment-api', input: ({ id }) => ({ params: { id }, body: {} }) },
        refund: {
          call: 'refund-payment-api',
          input: ({ id, amount }) => ({ params: { id }, body: { amount: { ...amount, amount: 100 } } }),
        },
      },
      read: listed,
    },
  },
  scenarioNeeds: {
    'partial-approval': ['partial-approval'],
    '3-d-secure': ['customer-action'],
    'capture-declined': ['decline-at-capture'],
    'events-disordered': ['cash'],
    'loyalty-down': ['cash'],
    'return-refunded': ['cash'],
    'lost-tender': ['cash'],
    'split-tender': ['cash'],
    'store-and-forward': ['cash'],
    'void-transaction': ['gift-card', 'cash'],
    'exchange-with-surplus': ['exchange-credit'],
    'refund-pending': ['pending-refund'],
    'refund-fails': ['pending-refund', 'gift-card'],
    'dispute-won': ['dispute'],
    'dispute-lost': ['dispute'],
  },
  lackedBy,
};
