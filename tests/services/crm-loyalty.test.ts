import { describe, expect, test } from '@jest/globals';
import { isEan13 } from '../../shared/domain/barcode.ts';
import { newRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { sharedIn } from '../support/test-in.ts';

/** The loyalty APIs of the CRM: a façade in front of the ledger of the Loyalty Platform. */
const rehearsal = sharedIn(newRehearsal);

let people = 0;
/** The id of a customer without membership. */
async function newCustomer(): Promise<string> {
  people += 1;
  const body = { firstName: 'Nora', lastName: 'Lund', email: `member-${people}@people.example` };
  return (await rehearsal.api('create-customer-api', { body })).id;
}
const enrol = (customerId: string, more: object = {}, headers: Record<string, string> = {}) =>
  rehearsal.call('enroll-loyalty-member-api', { body: { customerId, ...more }, headers });
const member = async () => (await enrol(await newCustomer())).body;
const account = (id: string) => rehearsal.api('get-member-balance-api', { params: { id } });
const balance = async (id: string): Promise<number> => (await account(id)).pointsBalance;
const membership = async (id: string) => (await rehearsal.api('get-customer-api', { params: { id } })).loyaltyAccountId;
const grant = (id: string, body: object = {}) =>
  rehearsal.call('issue-loyalty-points-api', { params: { id }, body: { points: 50, reason: 'goodwill', ...body } });
const redeem = (id: string, body: object) => rehearsal.call('redeem-loyalty-points-api', { params: { id }, body });
const loseAnswer = () => rehearsal.fault('lost', { match: { api: 'put-member' }, fault: { kind: 'lost-response' }, times: 1 });

test('Enroll Loyalty Member opens an empty account with a scannable card and records it on the customer', async () => {
  const customerId = await newCustomer();
  const { status, body } = await enrol(customerId);
  expect(status).toBe(201);
  const bronze = { tier: 'bronze', nextTierThreshold: 1000, pointsToNextTier: 1000 };
  expect(body).toMatchObject({ customerId, pointsBalance: 0, lifetimePoints: 0, ...bronze, entries: [], version: 1 });
  expect(body.id).toMatch(/^loy_[0-9A-Z]{26}$/);
  expect(isEan13(body.cardNumber)).toBe(true);
  expect(await account(body.cardNumber)).toEqual(body);
  expect(await membership(customerId)).toBe(body.id);
  const [created] = await rehearsal.events({ subject: `loyalty-account/${body.id}`, ext: true });
  expect(typesOf([created])).toEqual(['ext.loyalty-account-changed']);
  expect(created).toMatchObject({ classification: 'created', aggregateversion: 1 });
  const changed = (await rehearsal.events({ subject: `customer/${customerId}`, ext: true })).at(-1);
  expect(typesOf([changed])).toEqual(['ext.customer-changed']);
  expect(changed.data).toMatchObject({ previousState: 'registered', object: { loyaltyAccountId: body.id, state: 'registered' } });
});

test('Enroll Loyalty Member refuses the card or account id of another member, and accepts a new card', async () => {
  const customerId = await newCustomer();
  const { id: cardNumber } = await member();
  const refused = { status: 409, code: 'already_enrolled' };
  expect((await enrol(customerId, { cardNumber })).body).toMatchObject({ ...refused, cardNumber });
  const { body } = await enrol(customerId, { cardNumber: '2990000123459' });
  expect(body).toMatchObject({ ...refused, objectType: 'loyalty-account', id: 'loy_ada' });
  expect(await membership(customerId)).toBeUndefined();
  await rehearsal.advance('PT10M');
  expect((await enrol(customerId)).status).toBe(201);
});

test.each([
  ['cus_mallory', 409, 'customer_blocked'],
  ['cus_iris', 409, 'invalid_state_transition'],
])('Enroll Loyalty Member for %s answers %i %s', async (customerId, status, code) => {
  expect((await enrol(customerId)).body).toMatchObject({ status, code });
});

test('Concurrent Enroll Loyalty Member requests open one account, and all return it', async () => {
  const id = await newCustomer();
  const replies = await Promise.all(Array.from({ length: 6 }, () => enrol(id)));
  const [opened, ...others] = replies.toSorted((a, b) => a.status - b.status);
  expect(opened?.status).toBe(201);
  const refused = { status: 409, code: 'already_enrolled', objectType: 'customer', id, loyaltyAccountId: opened?.body.id };
  for (const { body } of others) expect(body).toMatchObject({ ...refused, retryable: false });
  const accounts = await rehearsal.events({ type: 'ext.loyalty-account-changed' });
  expect(accounts.filter(({ data }) => data.object.customerId === id)).toHaveLength(1);
});

test('Enroll Loyalty Member with a lost answer is completed later, and only a repeat with its key returns the account', async () => {
  const customerId = await newCustomer();
  const send = () => enrol(customerId, {}, { 'Idempotency-Key': `enrol-${customerId}` });
  await loseAnswer();
  expect((await send()).body).toMatchObject({ status: 504, code: 'dependency_timeout', dependency: 'loyalty-platform' });
  await rehearsal.advance('PT2M');
  const id = (await membership(customerId)) ?? '';
  expect(await account(id)).toMatchObject({ customerId });
  expect(await send()).toMatchObject({ status: 201, body: { id, customerId } });
  expect((await enrol(customerId)).body).toMatchObject({ status: 409, code: 'already_enrolled' });
});

test('Issue Loyalty Points books a grant with its reason, by id or card, and the points count for the tier', async () => {
  const { id, cardNumber } = await member();
  const { status, body } = await grant(id, { points: 1200, reason: 'late delivery' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ pointsBalance: 1200, lifetimePoints: 1200, tier: 'silver', nextTierThreshold: 5000, version: 2 });
  const text = expect.any(String);
  expect(body.entries).toEqual([{ type: 'issue', points: 1200, at: text, reason: 'late delivery', reference: text }]);
  expect((await grant(cardNumber, { points: 5 })).body).toMatchObject({ id, pointsBalance: 1205 });
});

test('Issue Loyalty Points grants once per reference and member, and every time without a reference', async () => {
  const { id } = await member();
  const repeats = [
    [{ reference: 'case-1' }, 201, 50],
    [{ reference: 'case-1' }, 200, 50],
    [{ reference: 'case-2' }, 201, 100],
    [{}, 201, 150],
    [{}, 201, 200],
  ] as const;
  for (const [body, status, pointsBalance] of repeats) expect(await grant(id, body)).toMatchObject({ status, body: { pointsBalance } });
  expect(await grant((await member()).id, { reference: 'case-1' })).toMatchObject({ status: 201, body: { pointsBalance: 50 } });
});

describe('Redeem Loyalty Points', () => {
  async function rich(): Promise<string> {
    const { id } = await member();
    await grant(id, { points: 500 });
    return id;
  }

  test('Redeem Loyalty Points redeems once per order, and every time without one', async () => {
    const id = await rich();
    const { redemption } = (await redeem(id, { points: 100, orderId: 'ord_one' })).body;
    expect(await redeem(id, { points: 100, orderId: 'ord_one' })).toMatchObject({ status: 200, body: { redemption } });
    const refused = { status: 409, code: 'conflicting_repeat', objectType: 'redemption', id: redemption.id, standing: { points: 100 } };
    expect((await redeem(id, { points: 101, orderId: 'ord_one' })).body).toMatchObject(refused);
    for (let n = 0; n < 2; n++) expect((await redeem(id, { points: 100 })).status).toBe(201);
    expect(await balance(id)).toBe(200);
  });

  test('Redeem Loyalty Points shares the ledger with Redeem Points of the Loyalty Platform', async () => {
    const id = await rich();
    const body = { points: 400, orderId: 'ord_two' };
    await rehearsal.api('redeem-points-api', { params: { id }, body });
    const refused = { status: 409, code: 'insufficient_points', id, requested: 200, available: 100 };
    expect((await redeem(id, { points: 200 })).body).toMatchObject(refused);
    expect((await redeem(id, body)).status).toBe(200);
  });
});

test('Every ledger adds up after the requests of the CRM', () => rehearsal.verify());
