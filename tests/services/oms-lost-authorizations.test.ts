import { describe, expect, test } from '@jest/globals';
import { fulfilling, onlyFulfilment } from './oms-fulfillment-scenes.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const TOTAL = 3088;
/** The Payment Hub refuses to authorise anything. */
const declining = (times?: number) => ({
  match: { api: 'authorize-payment-api' },
  fault: { kind: 'status', status: 402, code: 'payment_declined' },
  ...(times !== undefined && { times }),
});

type Scene = Awaited<ReturnType<typeof fulfilling>>;
interface Paid {
  readonly state: string;
  readonly tender: object;
  readonly amount: { readonly amount: number };
}
const paymentsOf = async (scene: Scene, id: string) =>
  (await scene.order(id)).payments.map(({ state, tender, amount }: Paid) => ({ state, tender, amount: amount.amount }));

const pay = ({ rehearsal }: Scene, orderId: string, tender: object, amount: number) =>
  rehearsal.ok('POST', '/payments/authorizations', { orderId, tender, amount: eur(amount) });

describe('An authorisation of a confirmed order that expires', () => {
  test('is renewed with the same tender whenever it expires, and is captured like any other', async () => {
    await using scene = await fulfilling();
    const { id, payments } = await scene.confirmed();
    const [{ tender }] = payments;
    await scene.rehearsal.advance('P7D');
    expect(await paymentsOf(scene, id)).toEqual([
      { state: 'voided', tender, amount: TOTAL },
      { state: 'authorised', tender, amount: TOTAL },
    ]);
    await scene.rehearsal.advance('P8D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect((await paymentsOf(scene, id)).map(({ state }: Paid) => state)).toEqual(['voided', 'voided', 'authorised']);
    await scene.pick(await onlyFulfilment(scene, id));
    await scene.settle();
    expect(await scene.order(id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    await scene.rehearsal.verify();
  });

  test('An authorisation that expires more than 30 days after the creation of its order is not renewed; a day later the order is cancelled', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.advance('P29D');
    const renewed = (await paymentsOf(scene, id)).map(({ state }: Paid) => state);
    expect(renewed).toEqual(['voided', 'voided', 'voided', 'voided', 'authorised']);
    await scene.rehearsal.advance('P6DT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.rehearsal.advance('P1D');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('is renewed for each of several tenders, with its own part of the total', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.draft();
    await pay(scene, id, { type: 'card', token: 'tok_mastercard' }, 1000);
    await pay(scene, id, { type: 'gift-card', token: 'gift_5' }, 500);
    await pay(scene, id, { type: 'bnpl' }, 1588);
    await scene.rehearsal.advance('PT2M');
    await scene.rehearsal.ok('POST', `/orders/${id}/confirm`);
    await scene.rehearsal.advance('P9D');
    const live = (await paymentsOf(scene, id)).filter(({ state }: Paid) => state === 'authorised');
    expect(live).toMatchObject([
      { tender: { type: 'gift-card', token: 'gift_5' }, amount: 500 },
      { tender: { type: 'card', token: 'tok_mastercard' }, amount: 1000 },
      { tender: { type: 'bnpl' }, amount: 1588 },
    ]);
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.rehearsal.verify();
  });

  test('and is declined leaves a day for another payment; then the order is cancelled and its stock released', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('declined', declining(1));
    await scene.rehearsal.advance('P7D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.rehearsal.verify();
    await scene.rehearsal.advance('PT23H');
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.rehearsal.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({
      ...{ state: 'cancelled', cancelReason: 'authorisation-lost', fulfillmentOrders: [{ state: 'cancelled' }] },
    });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('and is replaced by another payment within that day leaves the order unchanged', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('declined', declining(1));
    await scene.rehearsal.advance('P7D');
    await scene.authorise(id, undefined, 'tok_mastercard');
    await scene.rehearsal.advance('P2D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.rehearsal.verify();
  });

  test('while the Payment Hub authorises nothing is renewed later, and nothing is parked', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('down', { match: { api: 'authorize-payment-api' }, fault: { kind: 'outage' } });
    await scene.rehearsal.advance('P7DT20H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    expect((await scene.rehearsal.settle()).parked).toEqual([]);
    await scene.rehearsal.verify();
  });

  test('is renewed once when the answer is lost', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.rehearsal.advance('P7DT2H');
    expect((await paymentsOf(scene, id)).map(({ state }: Paid) => state)).toEqual(['voided', 'authorised']);
    await scene.rehearsal.verify();
  });

  test('while the Payment Hub is down for days cancels the order once it is back', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.fault('declined', declining(1));
    await scene.rehearsal.advance('P7D');
    await scene.down('payment-hub');
    await scene.rehearsal.advance('P3D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed' });
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    await scene.rehearsal.verify();
  });
});

describe('An authorisation of a confirmed order that a client voids', () => {
  test('is not renewed; without another one the order is cancelled after a day', async () => {
    await using scene = await fulfilling();
    const { id, payments } = await scene.confirmed();
    await scene.rehearsal.ok('POST', `/payments/authorizations/${payments[0].id}/void`);
    await scene.rehearsal.advance('PT23H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    await scene.rehearsal.verify();
    await scene.rehearsal.advance('PT1H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });
});

describe('A payment with gift cards and points', () => {
  test('does not expire: its order waits for the warehouse without limit', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.draft();
    const { redemption } = await scene.rehearsal.ok('POST', '/members/loy_ada/redeem', { points: 300, orderId: id });
    const gift = await pay(scene, id, { type: 'gift-card', token: 'gift_50' }, TOTAL - 300);
    const points = await pay(scene, id, { type: 'loyalty', token: redemption.id }, 300);
    for (const payment of [gift, points]) expect(payment).not.toHaveProperty('authorizationExpiresAt');
    await scene.rehearsal.ok('POST', `/orders/${id}/confirm`);
    await scene.rehearsal.advance('P40D');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.rehearsal.verify();
  });
});

describe('An authorisation that expires while the Payment Hub is away', () => {
  test.each(['P2D', 'P3D'])('is renewed after %s, when the hub is back, and its order stays confirmed', async (length) => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.advance('P6D');
    await scene.rehearsal.fault('away', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.rehearsal.advance(length);
    await scene.rehearsal.noFaults();
    await scene.settle();
    await scene.rehearsal.advance('PT2H');
    expect(await scene.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'authorised' });
    await scene.rehearsal.verify();
  });

  test('and that cannot be renewed afterwards ends its order', async () => {
    await using scene = await fulfilling();
    const { id } = await scene.confirmed();
    await scene.rehearsal.advance('P6D');
    await scene.rehearsal.fault('away', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
    await scene.rehearsal.advance('P3D');
    await scene.rehearsal.fault('declining', declining());
    await scene.rehearsal.client.control('delete-fault', { params: { name: 'away' } });
    await scene.settle();
    await scene.rehearsal.advance('PT2H');
    expect(await scene.order(id)).toMatchObject({ state: 'cancelled', cancelReason: 'authorisation-lost' });
    await scene.rehearsal.verify();
  });
});
