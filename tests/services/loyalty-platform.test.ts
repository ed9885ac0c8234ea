import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Account, standingAt, withEntry } from '../../services/loyalty-platform/account/ledger.ts';
import { redeemPoints } from '../../services/loyalty-platform/apis/redeem-points.ts';
import { returnUnspentRedemption } from '../../services/loyalty-platform/due/return-redemption.ts';
import { spend } from '../../services/loyalty-platform/redemption/spend.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const ledger = async (account: string) => (await rehearsal.api('get-member-balance-api', { params: { id: account } })).entries;

describe('Get Member Balance', () => {
  test('answers points, tier and the threshold of the next tier', async () => {
    const { status, body, headers } = await rehearsal.call('get-member-balance-api', { params: { id: 'loy_clara' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'loy_clara',
      customerId: 'cus_clara',
      pointsBalance: 1840,
      tier: 'silver',
      nextTierThreshold: 5000,
      pointsToNextTier: 2660,
    });
    expect(headers['etag']).toBe(`"${body.version}"`);
  });

  test('names no next tier above gold', async () => {
    const body = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_dmitri' } });
    expect(body).toMatchObject({ tier: 'gold', pointsBalance: 4250 });
    expect(body).not.toHaveProperty('nextTierThreshold');
    expect(body).not.toHaveProperty('pointsToNextTier');
  });

  test('accepts the number on the card as well', async () => {
    expect(await rehearsal.api('get-member-balance-api', { params: { id: '2990000200013' } })).toMatchObject({ id: 'loy_clara' });
  });

  test('refuses an unknown member, and callers without a bearer token', async () => {
    const unknown = await rehearsal.call('get-member-balance-api', { params: { id: 'loy_nobody' } });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found', objectType: 'loyalty-account', id: 'loy_nobody' } });
    expect((await rehearsal.call('get-member-balance-api', { params: { id: 'loy_clara' }, as: 'api-key' })).status).toBe(401);
  });
});

/** A mug at 12.99, carried out of a store: its order is completed. @returns its id */
async function sold(loyaltyId?: string): Promise<string> {
  const sale = await rehearsal.api('create-transaction-api', {
    body: {
      ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }], ...(loyaltyId !== undefined && { loyaltyId }) },
    },
  });
  await rehearsal.api('add-payment-api', { params: { id: sale.id }, body: { tender: { type: 'cash' }, amount: eur(1299) } });
  await rehearsal.settle();
  return sale.id;
}

describe('Earn Points', () => {
  test('books one point per full 1.00, once per order, with a ledger entry and an event', async () => {
    const orderId = await sold();
    const before = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_eve' } });
    const first = await rehearsal.call('earn-points-api', { params: { id: 'loy_eve' }, body: { orderId, amount: eur(1299) } });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ pointsBalance: before.pointsBalance + 12, lifetimePoints: before.lifetimePoints + 12 });
    expect(first.body.entries.at(-1)).toMatchObject({ type: 'earn', points: 12, orderId });

    const again = await rehearsal.call('earn-points-api', { params: { id: '2990000200037' }, body: { orderId, amount: eur(1299) } });
    expect(again).toMatchObject({ status: 200, body: first.body });

    const events = await rehearsal.events({ type: 'ext.loyalty-account-changed', subject: 'loyalty-account/loy_eve', ext: true });
    expect(events.map(({ aggregateversion }) => aggregateversion)).toEqual([2]);
    expect(events[0]).toMatchObject({ source: 'urn:uc:app:loyalty-platform', classification: 'updated', data: { object: first.body } });
  });

  test('raises a member to the next tier at its threshold', async () => {
    expect(await rehearsal.api('get-member-balance-api', { params: { id: 'loy_grace' } })).toMatchObject({
      tier: 'bronze',
      pointsToNextTier: 3,
    });
    const orderId = await sold();
    expect(await rehearsal.api('earn-points-api', { params: { id: 'loy_grace' }, body: { orderId, amount: eur(1299) } })).toMatchObject({
      tier: 'silver',
      nextTierThreshold: 5000,
      pointsToNextTier: 3991,
    });
  });

  test('refuses an order that earned for another member, another currency, and an unknown member', async () => {
    const orderId = await sold('loy_eve');
    expect(await rehearsal.call('earn-points-api', { params: { id: 'loy_farid' }, body: { orderId, amount: eur(1299) } })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/orderId', code: 'order_of_another' }] },
    });
    const dollars = { amount: 1299, currency: 'USD' };
    expect(await rehearsal.call('earn-points-api', { params: { id: 'loy_eve' }, body: { orderId, amount: dollars } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/amount/currency' }] },
    });
    expect(await rehearsal.call('earn-points-api', { params: { id: 'loy_x' }, body: { orderId, amount: eur(1) } })).toMatchObject({
      status: 404,
    });
    for (const body of [{}, { orderId: 'ord_e8' }, { orderId: 'ord_e8', amount: eur(0) }, { orderId: 'ord_e8', amount: eur(1), more: 1 }]) {
      expect((await rehearsal.call('earn-points-api', { params: { id: 'loy_eve' }, body })).status).toBe(422);
    }
  });

  test('sent twenty times at once for one order earns once', async () => {
    const orderId = await sold();
    const before = (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_eve' } })).pointsBalance;
    const replies = await Promise.all(Array.from({ length: 20 }, () => retried('/members/loy_eve/earn', { orderId, amount: eur(1299) })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.every(({ status }) => status === 200 || status === 201)).toBe(true);
    expect((await rehearsal.api('get-member-balance-api', { params: { id: 'loy_eve' } })).pointsBalance).toBe(before + 12);
  });
});

/** Retries as a client does: 503 `contention` says that nothing happened. */
async function retried(path: string, body: unknown, headers: Record<string, string> = {}) {
  for (;;) {
    const reply = await rehearsal.call('POST', path, body, { headers });
    if (reply.body?.code !== 'contention') return reply;
    expect(reply).toMatchObject({ status: 503, body: { retryable: true } });
  }
}

describe('Redeem Points', () => {
  test('takes the points and answers a redemption worth 0.01 each, once per basket or order', async () => {
    const before = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
    const first = await rehearsal.call('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 120, basketId: 'bsk_r1' } });
    expect(first).toMatchObject({
      status: 201,
      body: {
        account: { pointsBalance: before.pointsBalance - 120, lifetimePoints: before.lifetimePoints },
        redemption: { value: eur(120) },
      },
    });
    expect(first.body.redemption.id).toMatch(/^rdm_[0-9A-Z]{26}$/);
    expect((await ledger('loy_ada')).at(-1)).toMatchObject({ type: 'redeem', points: -120, reference: 'bsk_r1' });

    const again = await rehearsal.call('redeem-points-api', { params: { id: '2990000123459' }, body: { points: 120, basketId: 'bsk_r1' } });
    expect(again).toMatchObject({ status: 200, body: first.body });

    const forOrder = await rehearsal.call('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 5, orderId: 'ord_r1' } });
    expect(forOrder.status).toBe(201);
    expect((await ledger('loy_ada')).at(-1)).toMatchObject({ type: 'redeem', points: -5, orderId: 'ord_r1' });
    const events = await rehearsal.events({ subject: 'loyalty-account/loy_ada', ext: true });
    expect(events.map(({ aggregateversion }) => aggregateversion)).toEqual([2, 3]);
  });

  test('refuses a repeat for another number of points, names the existing redemption, and changes nothing', async () => {
    const ask = (points: number) =>
      rehearsal.call('redeem-points-api', { params: { id: 'loy_clara' }, body: { points, basketId: 'bsk_r3' } });
    const first = await ask(30);
    expect(first.status).toBe(201);
    for (const points of [29, 31, 99_999]) {
      expect(await ask(points)).toMatchObject({
        status: 409,
        body: {
          ...{ code: 'conflicting_repeat', objectType: 'redemption', id: first.body.redemption.id },
          ...{ standing: { points: 30 }, retryable: false },
        },
      });
    }
    expect(await ask(30)).toMatchObject({ status: 200, body: first.body });
  });

  test('repeated with the same Idempotency-Key answers the same; the key is refused for another request', async () => {
    const headers = { 'idempotency-key': 'redeem-once' };
    const body = { points: 10, basketId: 'bsk_r2' };
    const first = await rehearsal.call('redeem-points-api', { params: { id: 'loy_clara' }, body, headers });
    const repeat = await rehearsal.call('redeem-points-api', { params: { id: 'loy_clara' }, body, headers });
    expect(repeat).toMatchObject({ status: 201, body: first.body });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    const other = await rehearsal.call('redeem-points-api', { params: { id: 'loy_clara' }, body: { ...body, points: 11 }, headers });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  test('refuses more points than the balance, names both numbers, and repeats that refusal under its key', async () => {
    const refused = { status: 409, body: { code: 'insufficient_points', id: 'loy_farid', requested: 1, available: 0, retryable: false } };
    const headers = { 'idempotency-key': 'redeem-too-much' };
    expect(
      await rehearsal.call('redeem-points-api', { params: { id: 'loy_farid' }, body: { points: 1, orderId: 'ord_r2' }, headers }),
    ).toMatchObject(refused);
    await sold('loy_farid');
    expect(
      await rehearsal.call('redeem-points-api', { params: { id: 'loy_farid' }, body: { points: 1, orderId: 'ord_r2' }, headers }),
    ).toMatchObject(refused);
    expect(
      (await rehearsal.call('redeem-points-api', { params: { id: 'loy_farid' }, body: { points: 1, orderId: 'ord_r2' } })).status,
    ).toBe(201);
  });

  test('refuses an unknown member, zero points, and neither or both of basket and order', async () => {
    expect((await rehearsal.call('redeem-points-api', { params: { id: 'loy_x' }, body: { points: 1, orderId: 'ord_1' } })).status).toBe(
      404,
    );
    for (const body of [
      { points: 0, orderId: 'ord_1' },
      { points: 1.5, orderId: 'ord_1' },
      { points: 1 },
      { points: 1, orderId: 'ord_1', basketId: 'bsk_1' },
    ]) {
      expect(await rehearsal.call('redeem-points-api', { params: { id: 'loy_clara' }, body })).toMatchObject({
        status: 422,
        body: { code: 'validation_failed' },
      });
    }
  });

  test('refuses an If-Match of an older version', async () => {
    const { version } = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_dmitri' } });
    const headers = { 'if-match': `"${version + 1}"` };
    const reply = await rehearsal.call('redeem-points-api', {
      params: { id: 'loy_dmitri' },
      body: { points: 1, orderId: 'ord_r4' },
      headers,
    });
    expect(reply).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: version } });
  });

  test('sent twenty times at once never takes a balance below zero', async () => {
    const before = (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_dmitri' } })).pointsBalance;
    const points = Math.floor(before / 8);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        retried('/members/loy_dmitri/redeem', { points, orderId: `ord_race-${index}` }, { 'idempotency-key': `race-${index}` }),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(8);
    expect(replies.filter(({ body }) => body.code === 'insufficient_points')).toHaveLength(12);
    const after = await rehearsal.api('get-member-balance-api', { params: { id: 'loy_dmitri' } });
    expect(after.pointsBalance).toBe(before - 8 * points);
    expect(after.entries.reduce((sum: number, entry: { points: number }) => sum + entry.points, 0)).toBe(after.pointsBalance);
  });
});

test('A redemption that is not spent within 15 minutes gives its points back, and its basket may redeem again', async () => {
  await using own = await newRehearsal();
  await own.client.control('set-clock', { body: { flowing: false } });
  const first = await own.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 500, basketId: 'bsk_u1' } });
  await own.advance('PT14M59S');
  expect((await own.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance).toBe(0);
  await own.advance('PT1S');
  const after = await own.api('get-member-balance-api', { params: { id: 'loy_ada' } });
  expect(after).toMatchObject({ pointsBalance: 500, lifetimePoints: 650 });
  expect(after.entries.slice(-2)).toMatchObject([
    { type: 'redeem', points: -500, reference: 'bsk_u1' },
    { type: 'reverse', points: 500, reference: 'bsk_u1' },
  ]);
  const second = await own.call('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 200, basketId: 'bsk_u1' } });
  expect(second.status).toBe(201);
  expect(second.body.redemption.id).not.toBe(first.redemption.id);
  await own.verify();
});

describe('Put Ledger Entry, called by the Payment Hub,', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(loyaltyPlatform);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  const madeFor = new Map<unknown, string>();
  const redemption = async (points: number, member = 'loy_dmitri'): Promise<string> => {
    const basketId = `bsk_s${madeFor.size + 1}`;
    const { id } = (await inside.call('POST', `/members/${member}/redeem`, { points, basketId })).body.redemption;
    madeFor.set(id, basketId);
    return id;
  };
  const put = (type: string, reference: string, { redemptionId, ...body }: Record<string, unknown>) => {
    const basketId = madeFor.get(redemptionId);
    const spending = redemptionId === undefined ? {} : { redemptionId, ...(basketId !== undefined && { purchase: { basketId } }) };
    return inside.as('payment-hub')(putLedgerEntry, { params: { type, reference }, body: { ...spending, ...body } });
  };
  const balance = async (member = 'loy_dmitri'): Promise<number> =>
    (await inside.call('GET', `/members/${member}/balance`)).body.pointsBalance;

  test('spends a redemption once; a repeat answers the same', async () => {
    const redemptionId = await redemption(100);
    const before = await balance();
    const spent = await put('spend', 'pay_1', { redemptionId, orderId: 'ord_1', amount: eur(100) });
    expect(spent).toMatchObject({ account: { pointsBalance: before }, redemption: { id: redemptionId, value: eur(100) } });
    expect(await put('spend', 'pay_1', { redemptionId, orderId: 'ord_1', amount: eur(100) })).toEqual(spent);
    await expect(put('spend', 'pay_2', { redemptionId, orderId: 'ord_1' })).rejects.toMatchObject({
      code: 'insufficient_points',
      context: { objectType: 'redemption', id: redemptionId, available: 0 },
    });
    await inside.advance(durationMs('PT1H'));
    expect(await balance()).toBe(before);
  });

  test('lets one of two concurrent payments spend a redemption', async () => {
    const redemptionId = await redemption(60);
    const outcomes = await Promise.allSettled(['pay_r1', 'pay_r2', 'pay_r3'].map((id) => put('spend', id, { redemptionId })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'insufficient_points' });
  });

  test('lets one of two requests commit that both read the points', async () => {
    await using own = await startInside(loyaltyPlatform);
    const redeemFor = (basketId: string) => (work: UnitOfWork) =>
      redeemPoints.handler({ params: { id: 'loy_ada' }, query: {}, body: { points: 500, basketId } } as never, { work } as Scope);
    const outcomes = await own.overlapping('loyalty-platform', redeemFor('bsk_1'), redeemFor('bsk_2'));
    expect(outcomes).toEqual(['committed', 'Conflict: version: accounts/loy_ada']);
    const { body } = await own.call('POST', '/members/loy_ada/redeem', { points: 500, basketId: 'bsk_1' });
    const redemptionId = body.redemption.id;
    const pay = (paymentId: string) => (work: UnitOfWork) => spend(work, paymentId, { redemptionId, purchase: { basketId: 'bsk_1' } });
    expect(await own.overlapping('loyalty-platform', pay('pay_1'), pay('pay_2'))).toEqual([
      'committed',
      `Conflict: version: redemptions/${redemptionId}`,
    ]);
    // The redemption expires at the same instant: the due work finds it spent.
    await own.commitAs('loyalty-platform', (work) =>
      returnUnspentRedemption.run({ key: redemptionId, payload: {} } as DueItem, { work } as Scope),
    );
    expect((await own.call('GET', '/members/loy_ada/balance')).body.pointsBalance).toBe(0);
  });

  test('gives back at once the points beyond the amount of the payment', async () => {
    const before = await balance();
    const redemptionId = await redemption(100);
    const { account, redemption: shown } = await put('spend', 'pay_3', { redemptionId, orderId: 'ord_3', amount: eur(70) });
    expect(account.pointsBalance).toBe(before - 70);
    expect(account.entries.at(-1)).toMatchObject({ type: 'reverse', points: 30, orderId: 'ord_3' });
    expect(shown?.value).toEqual(eur(70));
  });

  test('spends at most the worth of a redemption, and one redemption per payment', async () => {
    const [one, other] = [await redemption(10), await redemption(10)];
    await expect(put('spend', 'pay_4', { redemptionId: one, amount: eur(11) })).rejects.toMatchObject({
      code: 'insufficient_points',
      context: { requested: 11, available: 10 },
    });
    await put('spend', 'pay_4', { redemptionId: one });
    await expect(put('spend', 'pay_4', { redemptionId: other })).rejects.toMatchObject({ code: 'insufficient_points' });
  });

  test('refuses to spend a redemption that was given back', async () => {
    const before = await balance('loy_clara');
    const redemptionId = await redemption(40, 'loy_clara');
    await inside.advance(durationMs('PT15M'));
    expect(await balance('loy_clara')).toBe(before);
    await expect(put('spend', 'pay_5', { redemptionId })).rejects.toMatchObject({ code: 'insufficient_points' });
  });

  test('for a void gives all points back once and frees the basket for another redemption', async () => {
    const before = await balance();
    const redemptionId = await redemption(80);
    await put('spend', 'pay_6', { redemptionId });
    const reversed = await put('reverse', 'pay_6', {});
    expect(reversed.account.pointsBalance).toBe(before);
    expect((await put('reverse', 'pay_6', {})).account.pointsBalance).toBe(before);
    expect((await put('reverse', 'pay_6.again', { paymentId: 'pay_6' })).account.pointsBalance).toBe(before);
    const again = await inside.call('POST', '/members/loy_dmitri/redeem', { points: 80, basketId: madeFor.get(redemptionId) });
    expect(again.status).toBe(201);
    expect(again.body.redemption.id).not.toBe(redemptionId);
  });

  test('for refunds gives points back in parts, at most the spent ones', async () => {
    const before = await balance();
    const redemptionId = await redemption(90);
    await put('spend', 'pay_7', { redemptionId, orderId: 'ord_7' });
    const refund = (n: number, amount: number) => put('reverse', `pay_7.refund-${n}`, { paymentId: 'pay_7', amount: eur(amount) });
    expect((await refund(1, 50)).account.pointsBalance).toBe(before - 40);
    expect((await refund(1, 50)).account.pointsBalance).toBe(before - 40);
    const last = await refund(2, 50);
    expect(last.account.pointsBalance).toBe(before);
    expect(last.account.entries.slice(-2)).toMatchObject([
      { type: 'reverse', points: 50 },
      { type: 'reverse', points: 40 },
    ]);
  });

  test('spends nothing for a payment that was reversed first', async () => {
    const redemptionId = await redemption(20);
    await expect(put('reverse', 'pay_8', { amount: eur(20) })).rejects.toMatchObject({ code: 'not_found' });
    await expect(put('reverse', 'pay_8', { amount: eur(20) })).rejects.toMatchObject({ code: 'not_found' });
    await expect(put('spend', 'pay_8', { redemptionId })).rejects.toMatchObject({ code: 'insufficient_points' });
    expect(await put('spend', 'pay_9', { redemptionId })).toMatchObject({ redemption: { id: redemptionId } });
  });

  test('refuses an unknown redemption and an unknown type of entry', async () => {
    await expect(put('spend', 'pay_10', { redemptionId: 'rdm_x' })).rejects.toMatchObject({ code: 'not_found', context: { id: 'rdm_x' } });
    await expect(put('burn', 'pay_10', {})).rejects.toMatchObject({ code: 'not_found', context: { id: 'burn' } });
    // A wrong request of a service is an error of the estate, not of its caller.
    await expect(put('spend', 'pay_10', {})).rejects.toMatchObject({ code: 'dependency_error' });
    const redemptionId = await redemption(1);
    const dollars = { redemptionId, amount: { amount: 1, currency: 'USD' } };
    await expect(put('spend', 'pay_10', dollars)).rejects.toMatchObject({ code: 'dependency_error' });
  });

  test('keeps every balance equal to the sum of its ledger, and versions without a gap', async () => {
    const { body } = await inside.call('GET', '/members/loy_dmitri/balance');
    expect(body.entries.reduce((sum: number, entry: { points: number }) => sum + entry.points, 0)).toBe(body.pointsBalance);
    const versions = (await inside.events('loyalty-account/loy_dmitri')).map(({ aggregateversion }) => aggregateversion);
    expect(versions).toEqual(versions.map((_, index) => index + 2));
    expect(body.version).toBe(versions.length + 1);
  });
});

describe('The ledger', () => {
  const empty: Account = {
    ...{ id: 'loy_1', version: 1, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    ...{ customerId: 'cus_1', cardNumber: '1', pointsBalance: 0, lifetimePoints: 0, entryCount: 0, entries: [] },
    ...standingAt(0),
  };
  const entry = fc.record({
    type: fc.constantFrom('earn' as const, 'issue' as const, 'redeem' as const, 'reverse' as const),
    points: fc.nat(3000),
  });

  test('keeps the balance equal to its sum and never negative, and only earned and issued points make a tier', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
        let account = empty;
        const ledger: Account['entries'] = [];
        for (const { type, points } of entries) {
          const booked = { type, points: type === 'redeem' ? -points : points, at: empty.createdAt };
          try {
            account = withEntry(account, booked);
            ledger.push(booked);
          } catch (error) {
            expect(error).toMatchObject({ code: 'insufficient_points' });
            expect(points).toBeGreaterThan(account.pointsBalance);
          }
        }
        const sum = (types: readonly string[]): number =>
          ledger.filter(({ type }) => types.includes(type)).reduce((total, { points }) => total + points, 0);
        expect(account).toMatchObject({ entryCount: ledger.length, entries: ledger.slice(-20) });
        expect(account.pointsBalance).toBe(sum(['earn', 'issue', 'redeem', 'reverse']));
        expect(account.pointsBalance).toBeGreaterThanOrEqual(0);
        expect(account.lifetimePoints).toBe(sum(['earn', 'issue']));
        const lifetime = account.lifetimePoints;
        expect(account.tier).toBe(lifetime >= 5000 ? 'gold' : lifetime >= 1000 ? 'silver' : 'bronze');
        expect((account.nextTierThreshold ?? lifetime) - lifetime).toBe(account.pointsToNextTier ?? 0);
      }),
    );
  });
});
