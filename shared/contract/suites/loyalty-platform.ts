import type { Bench, Body, Input } from './bench.ts';
import { rulesOf, type Suite } from './suite.ts';

const POINTS = 100;

/** A new member without points. */
const member = (bench: Bench): Promise<Body> => bench.prepare('put-member', { params: { customerId: bench.unique('cus_') }, body: {} });

const entry = (bench: Bench, type: string, body: Body): Input => ({ params: { type, reference: bench.unique(`${type}-`) }, body });

const granting = (bench: Bench, { id }: Body): Input => entry(bench, 'issue', { accountId: id, points: POINTS, reason: 'conform' });

const book = (bench: Bench, input: Input): Promise<Body> => bench.prepare('put-ledger-entry', input);

/** A new member with points. */
async function memberWithPoints(bench: Bench): Promise<Body> {
  const { account } = await book(bench, granting(bench, await member(bench)));
  return account;
}

const balanceOf = async (bench: Bench, id: string): Promise<number> =>
  (await bench.prepare('get-member-balance-api', { params: { id } })).pointsBalance;

/** Turns points of a new member into a redemption for an order. */
async function redeemed(bench: Bench, points: number) {
  const account = await memberWithPoints(bench);
  const orderId = bench.unique('ord_');
  const { redemption } = await book(bench, entry(bench, 'redeem', { accountId: account.id, points, orderId }));
  const amount = redemption.value;
  const spending = entry(bench, 'spend', { redemptionId: redemption.id, orderId, amount, purchase: { loyaltyAccountId: account.id } });
  return { account, redemption, spending };
}

const reading = rulesOf('get-member-balance-api');
const booking = rulesOf('put-ledger-entry');
const enrolling = rulesOf('put-member');
const redeeming = rulesOf('redeem-points-api');
const listing = rulesOf('list-ledger-entries-api');
const earning = rulesOf('earn-points-api');

export const loyaltyPlatformSuite: Suite = {
  application: 'loyalty-platform',
  ids: {},
  capabilities: { reversal: 'points that a payment has spent return to the member' },
  calls: {
    'get-member-balance-api': { valid: async (bench) => ({ params: { id: (await member(bench)).id } }) },
    'put-ledger-entry': {
      valid: async (bench) => granting(bench, await member(bench)),
      effect: (bench, { body }) => balanceOf(bench, String(body?.['accountId'])),
    },
    'put-member': {
      valid: async (bench) => ({ params: { customerId: bench.unique('cus_') }, body: { cardNumber: bench.unique('').slice(-30) } }),
      effect: async (bench, { body }) => {
        const { id, entryCount } = await bench.prepare('get-member-balance-api', { params: { id: String(body?.['cardNumber']) } });
        return { id, entryCount };
      },
    },
    'list-ledger-entries-api': { valid: async (bench) => ({ params: { id: (await memberWithPoints(bench)).id } }) },
    'earn-points-api': {
      valid: async (bench) => ({
        params: { id: (await member(bench)).id },
        body: { orderId: bench.unique('ord_'), amount: bench.money(POINTS * 100) },
      }),
      onlyRefusals: true,
    },
    'redeem-points-api': {
      valid: async (bench) => ({
        params: { id: (await memberWithPoints(bench)).id },
        body: { points: 40, orderId: bench.unique('ord_') },
      }),
      effect: (bench, { params }) => balanceOf(bench, params?.['id'] ?? ''),
    },
  },
  rules: [
    reading('by-card', 'finds a member by card number', async (bench) => {
      const { id, cardNumber } = await member(bench);
      const found = await bench.prepare('get-member-balance-api', { params: { id: cardNumber } });
      bench.expect('Account with the card', found.id, id);
    }),
    booking('unknown-member', 'refuses an unknown account with 404', async (bench) => {
      await bench.refused('put-ledger-entry', granting(bench, { id: bench.unique('loy_') }), 'Points for an unknown account', 404);
    }),
    booking('points-granted', 'adds granted points to balance and ledger', async (bench) => {
      const { pointsBalance, entryCount, entries } = await memberWithPoints(bench);
      bench.expect('Balance', pointsBalance, POINTS);
      bench.expect('Points of the ledger', [entryCount, entries.map(({ points }: Body) => points)], [1, [POINTS]]);
    }),
    booking('one-reference', 'grants points once for one reference, whatever the key', async (bench) => {
      const { id } = await member(bench);
      const input = granting(bench, { id });
      await book(bench, input);
      await book(bench, input);
      bench.expect('Balance', await balanceOf(bench, id), POINTS);
      for (const other of [{ points: POINTS + 1 }, { reason: 'other' }]) {
        const repeat = { ...input, body: { ...input.body, ...other } };
        await bench.refused('put-ledger-entry', repeat, `The same reference with ${JSON.stringify(other)}`, 409);
      }
    }),
    booking('redeem-limit', 'never redeems more points than the balance', async (bench) => {
      const { id } = await memberWithPoints(bench);
      const input = entry(bench, 'redeem', { accountId: id, points: POINTS + 1, orderId: bench.unique('ord_') });
      await bench.refused('put-ledger-entry', input, 'A redemption above the balance', 409);
      bench.expect('Balance after the refusal', await balanceOf(bench, id), POINTS);
    }),
    booking('spent-once', 'takes redeemed points off the balance, and lets one payment spend a redemption', async (bench) => {
      const { account, redemption, spending } = await redeemed(bench, 40);
      bench.expect('Redemption', [redemption.state, redemption.value.currency], ['open', bench.currency]);
      bench.expect('Balance after the redemption', await balanceOf(bench, account.id), POINTS - 40);
      bench.expect('State after spending', (await book(bench, spending)).redemption.state, 'spent');
      bench.expect('State after the same payment again', (await book(bench, spending)).redemption.state, 'spent');
      const other = { ...spending, params: { type: 'spend', reference: bench.unique('spend-') } };
      await bench.refused('put-ledger-entry', other, 'A second payment with the redemption', 409);
    }),
    rulesOf('put-ledger-entry', 'reversal')('reversed-once', 'returns spent points once for one reference', async (bench) => {
      const { account, spending } = await redeemed(bench, 40);
      await book(bench, spending);
      const reversal = { params: { type: 'reverse', reference: String(spending.params?.['reference']) }, body: {} };
      await book(bench, reversal);
      await book(bench, reversal);
      bench.expect('Balance after the reversal', await balanceOf(bench, account.id), POINTS);
    }),
    booking('own-purchase', 'spends a redemption only for the order or basket that it names, and only for its member', async (bench) => {
      const { id, customerId } = await memberWithPoints(bench);
      const spend = (redemption: Body, body: Body): Input => entry(bench, 'spend', { redemptionId: redemption.id, ...body });
      const refused = (input: Input) => bench.refused('put-ledger-entry', input, `Points for ${JSON.stringify(input.body)}`, 409);
      const orderId = bench.unique('ord_');
      const other = { orderId: bench.unique('ord_'), purchase: { customerId, basketId: bench.unique('bsk_') } };
      const stranger = { customerId: bench.unique('cus_') };
      for (const [purpose, fitting] of [
        [{ orderId }, { orderId, purchase: { customerId } }],
        [{ basketId: other.purchase.basketId }, other],
      ] as const) {
        const { redemption } = await bench.prepare('redeem-points-api', { params: { id }, body: { points: 40, ...purpose } });
        await refused(spend(redemption, fitting === other ? { orderId, purchase: { customerId } } : other));
        await refused(spend(redemption, { ...fitting, purchase: { ...fitting.purchase, ...stranger } }));
        bench.expect('State of the redemption', (await book(bench, spend(redemption, fitting))).redemption?.state, 'spent');
      }
      const { redemption } = await book(bench, entry(bench, 'redeem', { accountId: id, points: 20 }));
      await refused(spend(redemption, { orderId, purchase: stranger }));
      bench.expect('State without a purpose', (await book(bench, spend(redemption, other))).redemption?.state, 'spent');
    }),
    booking('rest-returned', 'returns the points beyond the amount of the payment', async (bench) => {
      const { account, spending } = await redeemed(bench, 40);
      const { redemption } = await book(bench, { ...spending, body: { ...spending.body, amount: bench.money(30) } });
      bench.expect('Redemption', [redemption.state, redemption.value], ['spent', bench.money(30)]);
      bench.expect('Balance', await balanceOf(bench, account.id), POINTS - 30);
    }),
    enrolling('one-account', 'opens one account for one customer, and one for one card', async (bench) => {
      const input = { params: { customerId: bench.unique('cus_') }, body: { cardNumber: bench.unique('').slice(-30) } };
      const { id } = await bench.prepare('put-member', input);
      bench.expect('Account after a repeat', (await bench.prepare('put-member', input)).id, id);
      const other = { ...input, params: { customerId: bench.unique('cus_') } };
      await bench.refused('put-member', other, 'The card of another member', 409);
    }),
    listing('adds-up', 'lists entries whose points add up to the balance', async (bench) => {
      const { account } = await redeemed(bench, 40);
      const { items } = await bench.prepare('list-ledger-entries-api', { params: { id: account.id } });
      const sum = items.reduce((total: number, { points }: Body) => total + points, 0);
      bench.expect('Sum of the entries', sum, await balanceOf(bench, account.id));
    }),
    listing('pages', 'lists all entries in pages, oldest first, and refuses an unknown cursor', async (bench) => {
      const { id } = await member(bench);
      const inputs = [1, 2, 3].map(() => granting(bench, { id }));
      for (const input of inputs) await book(bench, input);
      const page = (query: object) => bench.prepare('list-ledger-entries-api', { params: { id }, query: { limit: '2', ...query } });
      const first = await page({});
      const second = await page({ cursor: first.nextCursor });
      const references = [first, second].map(({ items }) => items.map(({ reference }: Body) => reference));
      const [one, two, three] = inputs.map(({ params }) => params?.['reference']);
      bench.expect('Pages', [...references, second.nextCursor ?? 'none'], [[one, two], [three], 'none']);
      for (const query of [{ cursor: 'abc' }, { limit: '101' }])
        await bench.refused('list-ledger-entries-api', { params: { id }, query }, `A page with ${JSON.stringify(query)}`, 422);
    }),
    earning('unknown-order', 'books no points for an order that it cannot read from the estate', async (bench) => {
      const { id } = await member(bench);
      const body = { orderId: bench.unique('ord_'), amount: bench.money(POINTS * 100) };
      const { status } = await bench.call('earn-points-api', { params: { id }, body });
      bench.expect('Whether Earn Points succeeds for an unknown order', status < 300, false);
      bench.expect('Balance', await balanceOf(bench, id), 0);
    }),
    redeeming(
      'one-redemption',
      'redeems points once for one order, and answers a repeat with the state of the redemption',
      async (bench) => {
        const { id, cardNumber } = await memberWithPoints(bench);
        const orderId = bench.unique('ord_');
        const redeem = (member: string) => bench.prepare('redeem-points-api', { params: { id: member }, body: { points: 40, orderId } });
        const { account, redemption } = await redeem(id);
        bench.expect('Redemption', [redemption.state, redemption.value, account.pointsBalance], ['open', bench.money(40), POINTS - 40]);
        bench.expect('Redemption after a repeat', (await redeem(cardNumber)).redemption, redemption);
        const entries = account.entries.map(({ type, points, ...one }: Body) => [type, points, one.orderId ?? 'none']);
        bench.expect('Entries', entries, [
          ['issue', POINTS, 'none'],
          ['redeem', -40, orderId],
        ]);
        const other = { params: { id }, body: { points: 41, orderId } };
        await bench.refused('redeem-points-api', other, 'Other points for the same order', 409);
        await book(bench, entry(bench, 'spend', { redemptionId: redemption.id, orderId, amount: redemption.value, purchase: {} }));
        bench.expect('State after the payment', (await redeem(id)).redemption.state, 'spent');
      },
    ),
    redeeming('redeem-limit', 'never redeems more points than the balance', async (bench) => {
      const { id } = await memberWithPoints(bench);
      const input = { params: { id }, body: { points: POINTS + 1, orderId: bench.unique('ord_') } };
      await bench.refused('redeem-points-api', input, 'A redemption above the balance', 409);
      bench.expect('Balance after the refusal', await balanceOf(bench, id), POINTS);
    }),
    redeeming('concurrent', 'never redeems more points than the balance for concurrent requests', async (bench) => {
      const { id } = await memberWithPoints(bench);
      const redemptions = [1, 2, 3, 4, 5].map(() => {
        const body = { points: 40, orderId: bench.unique('ord_') };
        return bench.call('redeem-points-api', { params: { id }, body });
      });
      const made = (await Promise.all(redemptions)).filter(({ status }) => status < 300).length;
      bench.expect('Whether at most two redemptions succeed', made <= 2, true);
      bench.expect('Balance', await balanceOf(bench, id), POINTS - 40 * made);
    }),
    redeeming('one-purpose', 'refuses points for no purchase, and for both a basket and an order', async (bench) => {
      const { id } = await memberWithPoints(bench);
      for (const purpose of [{}, { basketId: bench.unique('bsk_'), orderId: bench.unique('ord_') }])
        await bench.refused('redeem-points-api', { params: { id }, body: { points: 1, ...purpose } }, 'Points without one purchase', 422);
    }),
  ],
  objects: {},
  scenarioNeeds: {},
};
