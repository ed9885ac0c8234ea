import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';

const redeem = async (rehearsal: TestRehearsal, member: string, purpose: object): Promise<string> =>
  (await rehearsal.api('redeem-points-api', { params: { id: member }, body: { points: 200, ...purpose } })).redemption.id;
const pay = (rehearsal: TestRehearsal, orderId: string, token: string) =>
  rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type: 'loyalty', token }, amount: eur(200) } });
const declined = { status: 402, body: { code: 'payment_declined', declineCode: 'redemption_not_applicable' } };

describe('A redemption', () => {
  test('pays for its order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    const token = await redeem(scene, 'loy_ada', { orderId: order.id });
    expect(await pay(scene, order.id, token)).toMatchObject({ status: 201, body: { state: 'authorised' } });
    await scene.verify();
  });

  test('made for a basket pays for the order of that basket, and for no other', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const [order, other] = [await scene.draft({ qty: 1 }), await scene.draft({ qty: 1 })];
    const token = await redeem(scene, 'loy_ada', { basketId: order.basketId });
    expect(await pay(scene, other.id, token)).toMatchObject(declined);
    expect(await pay(scene, order.id, token)).toMatchObject({ status: 201 });
    await scene.verify();
  });

  test('made for one order does not pay for another order of the same customer, and stays open', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const [order, other] = [await scene.draft({ qty: 1 }), await scene.draft({ qty: 1 })];
    const token = await redeem(scene, 'loy_ada', { orderId: order.id });
    expect(await pay(scene, other.id, token)).toMatchObject(declined);
    expect(await pay(scene, order.id, token)).toMatchObject({ status: 201 });
    await scene.verify();
  });

  test('does not pay for the order of another customer, not even when it was made for that order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft({ customerId: 'cus_ben' });
    for (const purpose of [{ orderId: 'ord_of-ada' }, { orderId: order.id }, { basketId: order.basketId }]) {
      expect(await pay(scene, order.id, await redeem(scene, 'loy_clara', purpose))).toMatchObject(declined);
    }
    await scene.advance('PT16M');
    // Nothing was spent: all points were given back.
    expect(await scene.api('get-member-balance-api', { params: { id: 'loy_clara' } })).toMatchObject({ pointsBalance: 1840 });
    await scene.verify();
  });

  test('made without order or basket pays for any order of its owner and of no other customer', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const [own, other] = [await scene.draft({ qty: 1 }), await scene.draft({ qty: 1, customerId: 'cus_clara' })];
    const { redemption } = await scene.api('redeem-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 200 } });
    expect(await pay(scene, other.id, redemption.id)).toMatchObject(declined);
    expect(await pay(scene, own.id, redemption.id)).toMatchObject({ status: 201 });
    await scene.verify();
  });

  test('is also checked when the payment is resumed after its answer was lost', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const [order, other] = [await scene.draft({ qty: 1 }), await scene.draft({ qty: 1 })];
    const token = await redeem(scene, 'loy_ada', { orderId: order.id });
    const send = (orderId: string) =>
      scene.call('authorize-payment-api', {
        body: { orderId, tender: { type: 'loyalty', token }, amount: eur(200) },
        headers: { 'idempotency-key': `pay ${orderId}` },
      });
    for (const [id, outcome] of [
      [other.id, declined],
      [order.id, { status: 201 }],
    ] as const) {
      await scene.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'drop' }, times: 1 });
      expect((await send(id)).status).toBeGreaterThanOrEqual(502);
      expect(await send(id)).toMatchObject(outcome);
    }
    await scene.verify();
  });

  test('made at the till for its basket does not pay for another sale', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const sale = () =>
      scene.api('create-transaction-api', {
        body: {
          ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }], loyaltyId: 'loy_ada' },
        },
      });
    const [one, other] = [await sale(), await sale()];
    const token = await redeem(scene, 'loy_ada', { basketId: one.basketId });
    const take = (id: string) =>
      scene.call('add-payment-api', { params: { id }, body: { tender: { type: 'loyalty', token }, amount: eur(200) } });
    expect(await take(other.id)).toMatchObject(declined);
    expect(await take(one.id)).toMatchObject({ status: 201 });
    await scene.verify();
  });

  test('that is worth less than the amount is declined with its worth', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    const token = await redeem(scene, 'loy_ada', { orderId: order.id });
    const { status, body } = await scene.call('authorize-payment-api', {
      body: {
        ...{ orderId: order.id, tender: { type: 'loyalty', token }, amount: eur(201) },
      },
    });
    expect([status, body.declineCode, body.availableAmount]).toEqual([402, 'insufficient_points', eur(200)]);
    expect(body.detail).toContain('2.00 EUR');
    await scene.verify();
  });

  test('tells its state, so that a repeat of Redeem for a paid order is not taken for one that can pay', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    const again = () => scene.call('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 200, orderId: order.id } });
    const { status, body } = await again();
    expect([status, body.redemption.state]).toEqual([201, 'open']);
    expect(await again()).toMatchObject({ status: 200, body: { redemption: body.redemption } });
    await pay(scene, order.id, body.redemption.id);
    expect(await again()).toMatchObject({ status: 200, body: { redemption: { id: body.redemption.id, state: 'spent' } } });
    await scene.verify();
  });
});

test('A redemption is spent only for its order and its owner, so the invariants hold after a wrong attempt', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual' });
  const [order, other, foreign] = [
    await scene.draft({ qty: 1 }),
    await scene.draft({ qty: 1 }),
    await scene.draft({ qty: 1, customerId: 'cus_ben' }),
  ];
  for (const id of [other.id, foreign.id]) await pay(scene, id, await redeem(scene, 'loy_ada', { orderId: order.id }));
  await scene.verify();
});
