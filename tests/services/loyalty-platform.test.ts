import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Account, withEntry } from '../../services/loyalty-platform/members.ts';
import { redeemPoints, returnUnspentRedemption, spend } from '../../services/loyalty-platform/redemption.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import { standingAt } from '../../shared/catalog/loyalty/objects.ts';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

const account = (id: string, from = rehearsal) => from.api('get-member-balance-api', { params: { id } });
const earn = (id: string, body: object) => rehearsal.call('earn-points-api', { params: { id }, body });
const redeem = (id: string, body: object, headers: Record<string, string> = {}) =>
  rehearsal.call('redeem-points-api', { params: { id }, body, headers });
const sumOf = (entries: readonly { points: number }[]) => entries.reduce((sum, { points }) => sum + points, 0);

/** Retries as a client does: after 503 `contention` nothing has changed. */
async function retried(send: () => ReturnType<typeof earn>) {
  for (;;) {
    const reply = await send();
    if (reply.body?.code !== 'contention') return reply;
    expect(reply).toMatchObject({ status: 503, body: { retryable: true } });
  }
}

/** A mug at 12.99, sold in a store: its order is completed. @returns its id */
async function sold(loyaltyId?: string): Promise<string> {
  const { id } = await rehearsal.sale({ lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId });
  await rehearsal.pay(id, CASH, 1299);
  await rehearsal.settle();
  return id;
}

test('Get Member Balance returns points, tier and the next threshold, by id or card', async () => {
  const reply = await rehearsal.call('get-member-balance-api', { params: { id: 'loy_clara' } });
  const { status, body, headers } = reply;
  expect([status, headers['etag']]).toEqual([200, `"${body.version}"`]);
  const silver = { tier: 'silver', nextTierThreshold: 5000, pointsToNextTier: 2660 };
  expect(body).toMatchObject({ id: 'loy_clara', customerId: 'cus_clara', pointsBalance: 1840, ...silver });
  expect(await account('2990000200013')).toMatchObject({ id: 'loy_clara' });
});

test('Earn Points sent twenty times concurrently for one order earns once', async () => {
  const body = { orderId: await sold(), amount: eur(1299) };
  const before = (await account('loy_eve')).pointsBalance;
  const replies = await Promise.all(Array.from({ length: 20 }, () => retried(() => earn('loy_eve', body))));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
  expect((await account('loy_eve')).pointsBalance).toBe(before + 12);
});

test('Redeem Points refuses more points than the balance, and repeats the refusal under its key', async () => {
  const refused = { status: 409, code: 'insufficient_points', id: 'loy_farid', requested: 1, available: 0, retryable: false };
  const body = { points: 1, orderId: 'ord_r2' };
  const key = { 'idempotency-key': 'redeem-too-much' };
  expect((await redeem('loy_farid', body, key)).body).toMatchObject(refused);
  await sold('loy_farid');
  expect((await redeem('loy_farid', body, key)).body).toMatchObject(refused);
  expect((await redeem('loy_farid', body)).status).toBe(201);
});

test('A redemption that is not spent within 15 minutes returns its points, and its basket may redeem again', async () => {
  await using own = await newRehearsal();
  await own.control('set-clock', { body: { flowing: false } });
  const redeemFor = (points: number) => own.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points, basketId: 'bsk_u1' } });
  const first = await redeemFor(500);
  await own.advance('PT14M59S');
  expect((await account('loy_ada', own)).pointsBalance).toBe(0);
  await own.advance('PT1S');
  const after = await account('loy_ada', own);
  expect(after).toMatchObject({ pointsBalance: 500, lifetimePoints: 650 });
  const booked = after.entries.slice(-2).map(({ type, points, reference }) => `${type} ${points} ${reference}`);
  expect(booked).toEqual(['redeem -500 bsk_u1', 'reverse 500 bsk_u1']);
  expect((await redeemFor(200)).redemption.id).not.toBe(first.redemption.id);
  await own.verify();
});

describe('Put Ledger Entry', () => {
  const inside = sharedIn(() => startInside(loyaltyPlatform));

  const madeFor = new Map<unknown, string>();
  const redeemFor = async (basketId: string, points: number, member: string) =>
    insideCall(inside, 'redeem-points-api', { params: { id: member }, body: { points, basketId } });
  const redemption = async (points: number, member = 'loy_dmitri'): Promise<string> => {
    const basketId = `bsk_s${madeFor.size + 1}`;
    const { id } = (await redeemFor(basketId, points, member)).body.redemption;
    madeFor.set(id, basketId);
    return id;
  };
  const put = (type: string, reference: string, { redemptionId, ...body }: Record<string, unknown>) => {
    const basketId = madeFor.get(redemptionId);
    const spending = redemptionId === undefined ? {} : { redemptionId, ...(basketId !== undefined && { purchase: { basketId } }) };
    return inside.as('payment-hub')(putLedgerEntry, { params: { type, reference }, body: { ...spending, ...body } });
  };
  const reverse = async (reference: string, body: object = {}) => (await put('reverse', reference, { ...body })).account;
  const insufficient = { code: 'insufficient_points' };

  test('Of two requests that read the same points or redemption, one commits', async () => {
    await using own = await startInside(loyaltyPlatform);
    const redeemAs = (basketId: string) => (work: UnitOfWork) =>
      redeemPoints.handler({ params: { id: 'loy_ada' }, query: {}, body: { points: 500, basketId } } as never, { work } as Scope);
    const outcomes = await own.overlapping('loyalty-platform', redeemAs('bsk_1'), redeemAs('bsk_2'));
    expect(outcomes).toEqual(['committed', 'Conflict: version: accounts/loy_ada']);
    const params = { id: 'loy_ada' };
    const { body } = await insideCall(own, 'redeem-points-api', { params, body: { points: 500, basketId: 'bsk_1' } });
    const redemptionId = body.redemption.id;
    const pay = (paymentId: string) => (work: UnitOfWork) => spend(work, paymentId, { redemptionId, purchase: { basketId: 'bsk_1' } });
    const payments = await own.overlapping('loyalty-platform', pay('pay_1'), pay('pay_2'));
    expect(payments).toEqual(['committed', `Conflict: version: redemptions/${redemptionId}`]);
    // The expiry runs after the redemption was spent, and changes nothing.
    const item = { key: redemptionId, payload: {} } as DueItem;
    await own.commitAs('loyalty-platform', (work) => returnUnspentRedemption.run(item, { work } as Scope));
    expect((await insideCall(own, 'get-member-balance-api', { params })).body.pointsBalance).toBe(0);
  });

  test('Put Ledger Entry spends nothing for a payment that was reversed first', async () => {
    const redemptionId = await redemption(20);
    for (let repeat = 0; repeat < 2; repeat++)
      await expect(reverse('pay_8', { amount: eur(20) })).rejects.toMatchObject({ code: 'not_found' });
    await expect(put('spend', 'pay_8', { redemptionId })).rejects.toMatchObject(insufficient);
    expect(await put('spend', 'pay_9', { redemptionId })).toMatchObject({ redemption: { id: redemptionId } });
  });
});

test('A ledger keeps the balance equal to its sum and never negative, and only earned and issued points make a tier', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const owner = { id: 'loy_1', version: 1, createdAt: at, updatedAt: at, customerId: 'cus_1', cardNumber: '1' };
  const empty: Account = {
    ...owner,
    pointsBalance: 0,
    lifetimePoints: 0,
    entryCount: 0,
    entries: [],
    ...standingAt(0, DEFAULT_FIGURES.loyalty),
  };
  const entry = fc.record({ type: fc.constantFrom(...(['earn', 'issue', 'redeem', 'reverse'] as const)), points: fc.nat(3000) });
  const property = fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
    let booked = empty;
    const ledger: Account['entries'] = [];
    for (const { type, points } of entries) {
      const next = { type, points: type === 'redeem' ? -points : points, at };
      try {
        booked = withEntry(booked, next, DEFAULT_FIGURES.loyalty);
        ledger.push(next);
      } catch (error) {
        expect(error).toMatchObject({ code: 'insufficient_points' });
        expect(points).toBeGreaterThan(booked.pointsBalance);
      }
    }
    const lifetime = sumOf(ledger.filter(({ type }) => type === 'earn' || type === 'issue'));
    const tier = lifetime >= 5000 ? 'gold' : lifetime >= 1000 ? 'silver' : 'bronze';
    const counted = { entryCount: ledger.length, entries: ledger.slice(-20), pointsBalance: sumOf(ledger) };
    expect(booked).toMatchObject({ ...counted, lifetimePoints: lifetime, tier });
    expect(booked.pointsBalance).toBeGreaterThanOrEqual(0);
    expect((booked.nextTierThreshold ?? lifetime) - lifetime).toBe(booked.pointsToNextTier ?? 0);
  });
  fc.assert(property);
});
