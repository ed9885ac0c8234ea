import type { Answer, Bench, Body, Input } from './bench.ts';
import { type CallPlan, rulesOf, type Suite } from './suite.ts';

/** Total of the order, in minor units. */
const TOTAL = 2_598;
const PART = 1_000;

const byCard = (token: string) => ({ type: 'card', token });

interface Asked {
  readonly orderId?: string;
  readonly amount?: number;
  readonly tender?: { readonly type: string; readonly token?: string };
  readonly acceptPartial?: true;
}

/** An authorisation as the OMS or the till sends it: with the order, so that the system need not call back. */
function authorisation(bench: Bench, { orderId = bench.unique('ord_'), amount = TOTAL, tender, ...more }: Asked = {}): Input {
  const payable = { orderId, channel: tender?.type === 'cash' ? 'pos' : 'web', state: 'draft', total: bench.money(TOTAL) };
  return { body: { orderId, tender: tender ?? byCard(bench.id('card')), amount: bench.money(amount), payable, ...more } };
}

const pay = (bench: Bench, asked?: Asked): Promise<Body> => bench.prepare('authorize-payment-api', authorisation(bench, asked));

const authorised = (bench: Bench): Promise<Body> => pay(bench);

async function captured(bench: Bench): Promise<Body> {
  const { id } = await authorised(bench);
  return bench.prepare('capture-payment-api', { params: { id }, body: {} });
}

async function refunded(bench: Bench, amount: number): Promise<Body> {
  const { id } = await captured(bench);
  return bench.prepare('refund-payment-api', { params: { id }, body: { amount: bench.money(amount) } });
}

const reversed = (bench: Bench, { id }: Body): Promise<Body> => bench.prepare('reverse-payment', { params: { id }, body: {} });

const voided = async (bench: Bench): Promise<Body> => reversed(bench, await authorised(bench));

const paymentsOf = async (bench: Bench, orderId: string): Promise<readonly Body[]> =>
  (await bench.prepare('list-payments', { query: { orderId } })).items;

/** The states of the order's payments, without those that failed. */
const notFailed = async (bench: Bench, orderId: string): Promise<readonly string[]> =>
  (await paymentsOf(bench, orderId)).map(({ state }) => state).filter((state) => state !== 'failed');

const successes = (answers: readonly Answer[]): number => answers.filter(({ status }) => status < 300).length;

async function declined(bench: Bench): Promise<Body> {
  const input = authorisation(bench, { tender: byCard(bench.id('declined-card')) });
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

/** A new gift card. */
async function giftCard(bench: Bench, balance: number) {
  const token = bench.unique('gift_');
  await bench.prepare('change-gift-card', { params: { id: token }, body: { balance: bench.money(balance) } });
  return { type: 'gift-card', token };
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
const authorizingUntil = rulesOf('authorize-payment-api', 'authorization-expiry');
const authorizingCash = rulesOf('authorize-payment-api', 'cash');
const authorizingGiftCard = rulesOf('authorize-payment-api', 'gift-card');
const authorizingPart = rulesOf('authorize-payment-api', 'partial-approval');
const capturingDeclined = rulesOf('capture-payment-api', 'decline-at-capture');
const capturingGiftCard = rulesOf('capture-payment-api', 'gift-card');
const capturing = rulesOf('capture-payment-api');
const refunding = rulesOf('refund-payment-api');
const disputing = rulesOf('dispute-payment', 'dispute');
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
    external: 'payments that another system uses, as tenders',
    'lowered-authorization': 'authorisations that are lowered when their order changes',
    'cash-rounding': 'cash, and refunds of cash, rounded to the smallest coin of the retailer',
  },
  calls: {
    'authorize-payment-api': {
      // A second payment of this amount would fit, so that an effect without a key shows.
      valid: async (bench) => authorisation(bench, { amount: PART }),
      effect: async (bench, { body }) => (await paymentsOf(bench, String(body?.['orderId']))).map(amountsOf),
    },
    'capture-payment-api': aboutPayment(authorised, aPart),
    'refund-payment-api': aboutPayment(captured, aPart),
    'list-payments': { valid: async (bench) => ({ query: { orderId: (await authorised(bench)).orderId } }) },
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
      const payment = await pay(bench, { amount: PART });
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
    authorizingUntil('authorization-expiry', 'answers an approved card with the instant when its authorisation ends', async (bench) => {
      const { authorizationExpiresAt = '' } = await authorised(bench);
      bench.expect('Whether authorizationExpiresAt is in the future', Date.parse(authorizationExpiresAt) > Date.now(), true);
    }),
    authorizingCash('cash', 'answers cash with what was handed over and the change, also above what is outstanding', async (bench) => {
      const [orderId, tender] = [bench.unique('ord_'), { type: 'cash' }];
      const first = await pay(bench, { orderId, tender, amount: PART });
      bench.expect('State, amount, tendered and change of cash', paidInCash(first), ['authorised', PART, PART, 0]);
      const rest = await pay(bench, { orderId, tender });
      for (const one of [rest, await listed(bench, rest)])
        bench.expect('State, amount, tendered and change above the rest', paidInCash(one), ['authorised', TOTAL - PART, TOTAL, PART]);
    }),
    authorizing('outstanding', 'authorises what is outstanding by default, and never more', async (bench) => {
      const { orderId } = await pay(bench, { amount: PART });
      await bench.refused('authorize-payment-api', authorisation(bench, { orderId }), 'More than what is outstanding', 409);
      const { amount: _default, ...rest } = authorisation(bench, { orderId }).body ?? {};
      bench.expect('Amount by default', (await bench.prepare('authorize-payment-api', { body: rest })).amount.amount, TOTAL - PART);
    }),
    authorizing('declined', 'answers a declined card with 402, and authorises no money', async (bench) => {
      const input = authorisation(bench, { tender: byCard(bench.id('declined-card')) });
      await bench.refused('authorize-payment-api', input, 'A declined card', 402);
      bench.expect('Payments of the order that did not fail', await notFailed(bench, String(input.body?.['orderId'])), []);
    }),
    authorizingGiftCard('gift-card', 'charges a gift card with the authorisation, and declines more than its balance', async (bench) => {
      const tender = await giftCard(bench, PART);
      await pay(bench, { tender, amount: 600 });
      await bench.refused('authorize-payment-api', authorisation(bench, { tender, amount: 401 }), 'More than the balance', 402);
      bench.expect('State of a payment by the rest', (await pay(bench, { tender, amount: 400 })).state, 'authorised');
    }),
    authorizingPart(
      'part-approved',
      'declines a card that can pay a part, unless the request accepts a part, and releases the part with a void',
      async (bench) => {
        const asked = { orderId: bench.unique('ord_'), tender: byCard('tok_partial_60') };
        const refusal = await bench.refused('authorize-payment-api', authorisation(bench, asked), 'A card that can pay a part', 402);
        const part = await pay(bench, { ...asked, acceptPartial: true });
        bench.expect('Amount and approved part', [part.amount.amount, part.authorizedAmount], [TOTAL, refusal?.availableAmount]);
        await reversed(bench, part);
        bench.expect('Amount after the void', (await pay(bench, { orderId: asked.orderId })).authorizedAmount.amount, TOTAL);
      },
    ),
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
    capturing('captured-once', 'lets one of several concurrent captures succeed', async (bench) => {
      const { id } = await authorised(bench);
      const captures = Array.from({ length: 8 }, () => bench.call('capture-payment-api', { params: { id }, body: {} }));
      bench.expect('Successful captures', successes(await Promise.all(captures)), 1);
    }),
    capturingDeclined(
      'declined-at-capture',
      'answers a declined capture with 402, ends the authorisation, and leaves the amount to another tender',
      async (bench) => {
        const { id, orderId } = await pay(bench, { tender: byCard('tok_decline_at_capture') });
        for (const status of [402, 409])
          await bench.refused('capture-payment-api', { params: { id }, body: {} }, 'A declined capture', status);
        bench.expect('Payments of the order that did not fail', await notFailed(bench, orderId), []);
        bench.expect('State of the other tender', (await pay(bench, { orderId })).state, 'authorised');
      },
    ),
    capturingGiftCard('gift-card-returned', 'gives voided, uncaptured and refunded amounts back to their gift card', async (bench) => {
      const tender = await giftCard(bench, PART);
      const spendable = async (amount: number): Promise<void> => {
        const more = authorisation(bench, { tender, amount: amount + 1 });
        await bench.refused('authorize-payment-api', more, `More than ${amount} minor units of a gift card`, 402);
        await reversed(bench, await pay(bench, { tender, amount }));
      };
      await spendable(PART);
      await spendable(PART);
      const { id } = await pay(bench, { tender, amount: PART });
      await bench.prepare('capture-payment-api', { params: { id }, body: { amount: bench.money(600) } });
      await spendable(400);
      await bench.prepare('refund-payment-api', { params: { id }, body: { amount: bench.money(200) } });
      await spendable(600);
      await bench.prepare('refund-payment-api', { params: { id }, body: { amount: bench.money(400) } });
      await spendable(PART);
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
      for (const amount of [PART, PART + 1]) {
        const again = await bench.prepare('refund-payment-api', { ...input, body: { ...input.body, amount: bench.money(amount) } });
        bench.expect('Refunded', again.refundedAmount.amount, PART);
      }
    }),
    refunding('refunded-in-parts', 'refunds in parts with their reasons, until nothing is left', async (bench) => {
      const payment = await captured(bench);
      const asked = [PART, PART, TOTAL - 2 * PART].map((amount, part) => [amount, `part ${part}`] as const);
      const states: string[] = [];
      for (const [amount, reason] of asked) {
        const body = { amount: bench.money(amount), reason };
        states.push((await bench.prepare('refund-payment-api', { params: { id: payment.id }, body })).state);
      }
      bench.expect('States', states, ['partially-refunded', 'partially-refunded', 'fully-refunded']);
      const made = (await listed(bench, payment))?.refunds.map(({ amount, reason }: Body) => [amount.amount, reason]);
      bench.expect('Refunds in the list', made, asked);
    }),
    refunding('concurrent', 'never refunds more than the captured amount for concurrent requests', async (bench) => {
      const payment = await captured(bench);
      const input = { params: { id: payment.id }, body: { amount: bench.money(TOTAL / 2 + 1) } };
      const refunds = [1, 2].map(() => bench.call('refund-payment-api', input));
      bench.expect('Successful refunds', successes(await Promise.all(refunds)), 1);
      bench.expect('Refunded', (await listed(bench, payment))?.refundedAmount.amount, TOTAL / 2 + 1);
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
        const payment = await reversed(bench, { id });
        bench.expect(`Reversed ${time}`, [payment.state, payment.refundedAmount.amount], ['fully-refunded', TOTAL]);
      }
    }),
    disputing('disputed', 'refuses refunds and other disputes while a dispute is open, and refunds after it is won', async (bench) => {
      const { id } = await captured(bench);
      const [params, amount] = [{ id }, bench.money(TOTAL)];
      await bench.prepare('dispute-payment', { params, body: { reason: 'duplicate', amount: bench.money(PART) } });
      await bench.refused('refund-payment-api', { params, body: aPart(bench) }, 'A refund during a dispute', 409);
      await bench.refused('dispute-payment', { params, body: { reason: 'duplicate' } }, 'A second dispute', 409);
      await bench.prepare('decide-dispute', { params, body: { outcome: 'won' } });
      bench.expect('State', (await bench.prepare('refund-payment-api', { params, body: { amount } })).state, 'fully-refunded');
    }),
    disputing('dispute-lost', 'keeps the outcome of a dispute, and refunds no amount that it took', async (bench) => {
      const { id } = await captured(bench);
      const params = { id };
      await bench.prepare('dispute-payment', { params, body: { reason: 'general', amount: bench.money(PART) } });
      for (const _time of ['once', 'twice']) await bench.prepare('decide-dispute', { params, body: { outcome: 'lost' } });
      await bench.refused('decide-dispute', { params, body: { outcome: 'won' } }, 'Another outcome', 409);
      const input = { params, body: { amount: bench.money(TOTAL - PART + 1) } };
      const refusal = await bench.refused('refund-payment-api', input, 'A refund above what the dispute left', 409);
      bench.expect('refundableAmount in the refusal', refusal?.refundableAmount?.amount, TOTAL - PART);
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
    'marketplace-order': ['external'],
    'changed-order': ['lowered-authorization'],
    'tax-and-coins': ['cash', 'cash-rounding'],
  },
  lackedBy,
};
