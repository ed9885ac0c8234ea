import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEan13 } from '../../shared/domain/barcode.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** The loyalty APIs of the CRM: a façade in front of the Loyalty Platform's ledger. */
let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

let people = 0;
/** Creates a customer without membership. */
async function newCustomer(): Promise<{ readonly id: string }> {
  people += 1;
  return rehearsal.api('create-customer-api', { body: { firstName: 'Nora', lastName: 'Lund', email: `member-${people}@people.example` } });
}
const enrol = (customerId: string, more: object = {}) => rehearsal.call('enroll-loyalty-member-api', { body: { customerId, ...more } });
async function member() {
  const { id: customerId } = await newCustomer();
  return (await enrol(customerId)).body;
}
const balance = async (id: string): Promise<number> => (await rehearsal.api('get-member-balance-api', { params: { id } })).pointsBalance;

describe('Enroll Loyalty Member', () => {
  test('opens an empty account with a scannable card and records it on the customer', async () => {
    const { id: customerId } = await newCustomer();
    const reply = await enrol(customerId);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      ...{ customerId, pointsBalance: 0, lifetimePoints: 0, tier: 'bronze', nextTierThreshold: 1000, pointsToNextTier: 1000 },
      ...{ entries: [], version: 1 },
    });
    expect(reply.body.id).toMatch(/^loy_[0-9A-Z]{26}$/);
    expect(isEan13(reply.body.cardNumber)).toBe(true);
    expect(await rehearsal.api('get-member-balance-api', { params: { id: reply.body.cardNumber } })).toEqual(reply.body);
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).toMatchObject({
      ...{ loyaltyAccountId: reply.body.id, state: 'registered', version: 2 },
    });
    const [account] = await rehearsal.events({ subject: `loyalty-account/${reply.body.id}`, ext: true });
    expect(account).toMatchObject({
      type: 'com.unified-commerce.ext.loyalty-account-changed',
      classification: 'created',
      aggregateversion: 1,
    });
    const customerEvents = await rehearsal.events({ subject: `customer/${customerId}`, ext: true });
    expect(customerEvents.at(-1)).toMatchObject({
      type: 'com.unified-commerce.ext.customer-changed',
      data: { previousState: 'registered', object: { loyaltyAccountId: reply.body.id } },
    });
  });

  test('uses the card number in the request', async () => {
    const { id: customerId } = await newCustomer();
    const reply = await enrol(customerId, { cardNumber: 'CARD-0815' });
    expect(reply).toMatchObject({ status: 201, body: { cardNumber: 'CARD-0815' } });
    expect(await rehearsal.api('get-member-balance-api', { params: { id: 'CARD-0815' } })).toMatchObject({ customerId });
  });

  test('refuses a second enrolment and names the account', async () => {
    const { id: customerId } = await newCustomer();
    const { body: account } = await enrol(customerId);
    expect(await enrol(customerId)).toMatchObject({
      status: 409,
      body: { code: 'already_enrolled', objectType: 'customer', id: customerId, loyaltyAccountId: account.id, retryable: false },
    });
  });

  test('refuses the card of another member, and the customer may enrol with another card', async () => {
    const { id: customerId } = await newCustomer();
    const reply = await enrol(customerId, { cardNumber: '2990000123459' });
    expect(reply).toMatchObject({ status: 409, body: { code: 'already_enrolled', objectType: 'loyalty-account', id: 'loy_ada' } });
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).not.toHaveProperty('loyaltyAccountId');
    await rehearsal.advance('PT10M');
    expect(await enrol(customerId)).toMatchObject({ status: 201 });
  });

  test.each([
    ['cus_mallory', 409, 'customer_blocked'],
    ['cus_iris', 409, 'invalid_state_transition'],
    ['cus_nobody', 404, 'not_found'],
    ['not an id', 422, 'validation_failed'],
  ])('for %s answers %i %s', async (customerId, status, code) => {
    expect(await enrol(customerId)).toMatchObject({ status, body: { code } });
  });

  test('sent twice concurrently opens one account', async () => {
    const { id: customerId } = await newCustomer();
    const replies = await Promise.all(Array.from({ length: 6 }, () => enrol(customerId)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(replies.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(Array(5).fill('already_enrolled'));
    const accounts = await rehearsal.events({ type: 'ext.loyalty-account-changed' });
    expect(accounts.filter(({ data }) => data.object.customerId === customerId)).toHaveLength(1);
  });

  test('refuses a card number that equals the account id of another member', async () => {
    const { id: customerId } = await newCustomer();
    const other = await member();
    expect(await enrol(customerId, { cardNumber: other.id })).toMatchObject({
      status: 409,
      body: { code: 'already_enrolled', cardNumber: other.id },
    });
    expect(await rehearsal.api('get-member-balance-api', { params: { id: other.id } })).toMatchObject({ id: other.id });
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).not.toHaveProperty('loyaltyAccountId');
  });

  test('that was completed later is answered to a repeat with its key, and refused to other requests', async () => {
    const { id: customerId } = await newCustomer();
    const headers = { 'Idempotency-Key': `enrol-${customerId}` };
    const repeat = () => rehearsal.call('enroll-loyalty-member-api', { body: { customerId }, headers });
    await rehearsal.fault('lost', { match: { api: 'put-member' }, fault: { kind: 'lost-response' }, times: 1 });
    expect((await repeat()).status).toBe(504);
    await rehearsal.advance('PT2M');
    const { loyaltyAccountId } = await rehearsal.api('get-customer-api', { params: { id: customerId } });
    expect(await repeat()).toMatchObject({ status: 201, body: { id: loyaltyAccountId, customerId } });
    expect(await enrol(customerId)).toMatchObject({ status: 409, body: { code: 'already_enrolled' } });
  });

  test('is completed later when the answer of the Loyalty Platform was lost', async () => {
    const { id: customerId } = await newCustomer();
    await rehearsal.fault('lost', { match: { api: 'put-member' }, fault: { kind: 'lost-response' }, times: 1 });
    expect(await enrol(customerId)).toMatchObject({ status: 504, body: { code: 'dependency_timeout', dependency: 'loyalty-platform' } });
    await rehearsal.advance('PT2M');
    const customer = await rehearsal.api('get-customer-api', { params: { id: customerId } });
    expect(customer.loyaltyAccountId).toMatch(/^loy_/);
    expect(await rehearsal.api('get-member-balance-api', { params: { id: customer.loyaltyAccountId } })).toMatchObject({ customerId });
  });

  test('is refused while the Loyalty Platform is down, and leaves nothing behind', async () => {
    const { id: customerId } = await newCustomer();
    await rehearsal.down('loyalty-platform');
    expect(await enrol(customerId)).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'loyalty-platform' },
    });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).not.toHaveProperty('loyaltyAccountId');
    expect(await enrol(customerId)).toMatchObject({ status: 201 });
  });
});

describe('Issue Loyalty Points', () => {
  test('books a grant with its reason, and the points count for the tier', async () => {
    const account = await member();
    const reply = await rehearsal.call('issue-loyalty-points-api', {
      params: { id: account.id },
      body: { points: 1200, reason: 'late delivery' },
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ pointsBalance: 1200, lifetimePoints: 1200, tier: 'silver', nextTierThreshold: 5000, version: 2 });
    expect(reply.body.entries).toEqual([
      { type: 'issue', points: 1200, at: expect.any(String), reason: 'late delivery', reference: expect.any(String) },
    ]);
  });

  test('finds the account by card number', async () => {
    const account = await member();
    const body = { points: 5, reason: 'goodwill' };
    expect(await rehearsal.api('issue-loyalty-points-api', { params: { id: account.cardNumber }, body })).toMatchObject({
      id: account.id,
      pointsBalance: 5,
    });
  });

  test('grants once per reference, and every time without a reference', async () => {
    const account = await member();
    const grant = (body: object) =>
      rehearsal.call('issue-loyalty-points-api', { params: { id: account.id }, body: { points: 50, reason: 'goodwill', ...body } });
    expect(await grant({ reference: 'case-1' })).toMatchObject({ status: 201, body: { pointsBalance: 50 } });
    expect(await grant({ reference: 'case-1' })).toMatchObject({ status: 200, body: { pointsBalance: 50 } });
    expect(await grant({ reference: 'case-2' })).toMatchObject({ status: 201, body: { pointsBalance: 100 } });
    expect(await grant({})).toMatchObject({ status: 201, body: { pointsBalance: 150 } });
    expect(await grant({})).toMatchObject({ status: 201, body: { pointsBalance: 200 } });
  });

  test.each([
    ['other points', { points: 51, reason: 'goodwill' }],
    ['another reason', { points: 50, reason: 'birthday' }],
  ])('refuses the same reference with %s and names the existing grant', async (_what, other) => {
    const account = await member();
    const grant = (body: object) =>
      rehearsal.call('issue-loyalty-points-api', {
        params: { id: account.id },
        body: { points: 50, reason: 'goodwill', reference: 'case-9', ...body },
      });
    expect((await grant({})).status).toBe(201);
    expect(await grant(other)).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', id: account.id, standing: { points: 50, reason: 'goodwill' } },
    });
    expect(await grant({})).toMatchObject({ status: 200, body: { pointsBalance: 50 } });
  });

  test('treats the reference of another member as another grant', async () => {
    const [one, other] = [await member(), await member()];
    for (const { id } of [one, other]) {
      await rehearsal.api('issue-loyalty-points-api', {
        params: { id },
        body: { points: 10, reason: 'birthday', reference: 'birthday-2026' },
      });
    }
    expect([await balance(one.id), await balance(other.id)]).toEqual([10, 10]);
  });

  test('sent fifty times with one Idempotency-Key grants once', async () => {
    const account = await member();
    const send = () =>
      rehearsal.call('issue-loyalty-points-api', {
        params: { id: account.id },
        body: { points: 7, reason: 'goodwill' },
        headers: { 'idempotency-key': 'grant' },
      });
    const replies = await Promise.all(Array.from({ length: 50 }, send));
    expect(new Set(replies.map(({ status }) => status))).toEqual(
      new Set([201, 409].filter((status) => replies.some((r) => r.status === status))),
    );
    expect(await send()).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    expect(await balance(account.id)).toBe(7);
  });

  test.each([
    ['an unknown account', 'loy_nobody', { points: 5, reason: 'x' }, 404, 'not_found'],
    ['no points', 'loy_ada', { points: 0, reason: 'x' }, 422, 'validation_failed'],
    ['no reason', 'loy_ada', { points: 5 }, 422, 'validation_failed'],
  ])('refuses %s', async (_what, id, body, status, code) => {
    expect(await rehearsal.call('issue-loyalty-points-api', { params: { id }, body })).toMatchObject({ status, body: { code } });
  });

  test('fails while the Loyalty Platform is down', async () => {
    await rehearsal.fault('down', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' }, times: 1 });
    const reply = await rehearsal.call('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 5, reason: 'x' } });
    expect(reply).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'loyalty-platform' } });
  });
});

describe('Redeem Loyalty Points', () => {
  async function rich() {
    const account = await member();
    await rehearsal.api('issue-loyalty-points-api', { params: { id: account.id }, body: { points: 500, reason: 'start' } });
    return account;
  }

  test('turns points into a redemption, whose points return when it is not spent', async () => {
    const account = await rich();
    const reply = await rehearsal.call('redeem-loyalty-points-api', { params: { id: account.id }, body: { points: 300 } });
    expect(reply).toMatchObject({
      status: 201,
      body: { account: { pointsBalance: 200 }, redemption: { value: { amount: 300, currency: 'EUR' } } },
    });
    expect(reply.body.redemption.id).toMatch(/^rdm_/);
    await rehearsal.advance('PT15M');
    expect(await balance(account.id)).toBe(500);
  });

  test('redeems once per order, and every time without one', async () => {
    const account = await rich();
    const redeem = (body: object) => rehearsal.call('redeem-loyalty-points-api', { params: { id: account.id }, body });
    const first = await redeem({ points: 100, orderId: 'ord_one' });
    expect(await redeem({ points: 100, orderId: 'ord_one' })).toMatchObject({ status: 200, body: { redemption: first.body.redemption } });
    expect(await redeem({ points: 101, orderId: 'ord_one' })).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', objectType: 'redemption', id: first.body.redemption.id, standing: { points: 100 } },
    });
    expect((await redeem({ points: 100 })).status).toBe(201);
    expect((await redeem({ points: 100 })).status).toBe(201);
    expect(await balance(account.id)).toBe(200);
  });

  test('shares the ledger with Redeem Points of the Loyalty Platform', async () => {
    const account = await rich();
    await rehearsal.api('redeem-points-api', { params: { id: account.id }, body: { points: 400, orderId: 'ord_two' } });
    expect(await rehearsal.call('redeem-loyalty-points-api', { params: { id: account.id }, body: { points: 200 } })).toMatchObject({
      status: 409,
      body: { code: 'insufficient_points', id: account.id, requested: 200, available: 100 },
    });
    const again = await rehearsal.call('redeem-loyalty-points-api', {
      params: { id: account.id },
      body: { points: 400, orderId: 'ord_two' },
    });
    expect(again.status).toBe(200);
  });

  test('is refused for an unknown account', async () => {
    expect(await rehearsal.call('redeem-loyalty-points-api', { params: { id: 'loy_nobody' }, body: { points: 5 } })).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'loyalty-account' },
    });
  });
});

test('At the end, every ledger adds up', () => rehearsal.verify());
