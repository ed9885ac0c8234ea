import { describe, expect, test } from '@jest/globals';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const TOTAL = 3088;
/** The Payment Hub refuses to authorise anything. */
const declining = (times?: number) => ({
  match: { api: 'authorize-payment-api' },
  fault: { kind: 'status', status: 402, code: 'payment_declined' },
  ...(times !== undefined && { times }),
});

const paymentsOf = async (scene: TestRehearsal, id: string) =>
  (await scene.order(id)).payments.map(({ state, tender, amount }) => ({ state, tender, amount: amount.amount }));

const pay = (rehearsal: TestRehearsal, orderId: string, tender: ApiInput<'authorize-payment-api'>['body']['tender'], amount: number) =>
  rehearsal.api('authorize-payment-api', { body: { orderId, tender, amount: eur(amount) } });

describe('An authorisation of a confirmed order that expires', () => {
  test('is renewed with the same tender whenever it expires, and is captured like any other', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id, payments } = await scene.confirmed();
    const [{ tender }] = payments;
    await scene.advance('P7D');
    expect(await paymentsOf(scene, id)).toEqual([
      { state: 'voided', tender, amount: TOTAL },
      { state: 'authorised', tender, amount: TOTAL },
    ]);
    await scene.advance('P8D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect((await paymentsOf(scene, id)).map(({ state }) => state)).toEqual(['voided', 'voided', 'authorised']);
    await scene.picked(await scene.onlyFulfilment(id));
    await scene.settle();
    expect(await scene.order(id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    await scene.verify();
  });

  test('An authorisation that expires more than 30 days after the creation of its order is not renewed; a day later the order is cancelled', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.advance('P29D');
    const renewed = (await paymentsOf(scene, id)).map(({ state }) => state);
    expect(renewed).toEqual(['voided', 'voided', 'voided', 'voided', 'authorised']);
    await scene.advance('P6DT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.advance('P1D');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('is renewed for each of several tenders, with its own part of the total', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.draft();
    await pay(scene, id, { type: 'card', token: 'tok_mastercard' }, 1000);
    await pay(scene, id, { type: 'gift-card', token: 'gift_5' }, 500);
    await pay(scene, id, { type: 'bnpl' }, 1588);
    await scene.advance('PT2M');
    await scene.confirmed(id);
    await scene.advance('P9D');
    const live = (await paymentsOf(scene, id)).filter(({ state }) => state === 'authorised');
    expect(live).toMatchObject([
      { tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 },
      { tender: { type: 'card', token: 'tok_mastercard' }, amount: 1000 },
      { tender: { type: 'bnpl' }, amount: 1588 },
    ]);
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.verify();
  });

  test('and is declined leaves a day for another payment; then the order is cancelled and its stock released', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('declined', declining(1));
    await scene.advance('P7D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.verify();
    await scene.advance('PT23H');
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({
      ...{ state: 'cancelled', cancelReason: 'authorisation-lost', fulfillmentOrders: [{ state: 'cancelled' }] },
    });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('and is replaced by another payment within that day leaves the order unchanged', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('declined', declining(1));
    await scene.advance('P7D');
    await scene.authorisation(id, undefined, 'tok_mastercard');
    await scene.advance('P2D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.verify();
  });

  test('while the Payment Hub authorises nothing is renewed later, and nothing is parked', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.down({ api: 'authorize-payment-api' });
    await scene.advance('P7DT20H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.noFaults();
    await scene.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect((await scene.settle()).parked).toEqual([]);
    await scene.verify();
  });

  test('is renewed once when the answer is lost', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.advance('P7DT2H');
    expect((await paymentsOf(scene, id)).map(({ state }) => state)).toEqual(['voided', 'authorised']);
    await scene.verify();
  });

  test('while the Payment Hub is down for days cancels the order once it is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.fault('declined', declining(1));
    await scene.advance('P7D');
    await scene.down('payment-hub');
    await scene.advance('P3D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed' });
    await scene.noFaults();
    await scene.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    await scene.verify();
  });
});

describe('An authorisation of a confirmed order that a client voids', () => {
  test('is not renewed; without another one the order is cancelled after a day', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id, payments } = await scene.confirmed();
    await scene.api('void-payment-api', { params: { id: payments[0].id } });
    await scene.advance('PT23H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.verify();
    await scene.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });
});

describe('A payment with gift cards and points', () => {
  test('does not expire: its order waits for the warehouse without limit', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.draft();
    const { redemption } = await scene.api('redeem-points-api', {
      params: { id: 'loy_ada' },
      body: { points: 300, orderId: id },
    });
    const gift = await pay(scene, id, { type: 'gift-card', token: 'gift_50' }, TOTAL - 300);
    const points = await pay(scene, id, { type: 'loyalty', token: redemption.id }, 300);
    for (const payment of [gift, points]) expect(payment).not.toHaveProperty('authorizationExpiresAt');
    await scene.confirmed(id);
    await scene.advance('P40D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.verify();
  });
});

describe('An authorisation that expires while the Payment Hub is away', () => {
  test.each(['P2D', 'P3D'])('is renewed after %s, when the hub is back, and its order stays confirmed', async (length) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.advance('P6D');
    await scene.fault('away', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.advance(length);
    await scene.noFaults();
    await scene.settle();
    await scene.advance('PT2H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.verify();
  });

  test('and that cannot be renewed afterwards ends its order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const { id } = await scene.confirmed();
    await scene.advance('P6D');
    await scene.fault('away', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.advance('P3D');
    await scene.fault('declining', declining());
    await scene.client.control('delete-fault', { params: { name: 'away' } });
    await scene.settle();
    await scene.advance('PT2H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    await scene.verify();
  });
});
