import { describe, expect, test } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { euros, type ReturnScene, returning } from './return-scenes.ts';

/** Two mugs at 12.99 earn 25 points; the shipping earns none. */
const WORTH = 2598;

const earn = (rehearsal: TestRehearsal, orderId: string, amount: number, member = 'loy_ada') =>
  rehearsal.call('POST', `/members/${member}/earn`, { orderId, amount: euros(amount) });

const earnedFor = async ({ rehearsal }: ReturnScene, orderId: string, member = 'loy_ada'): Promise<number[]> => {
  const { entries } = await rehearsal.ok('GET', `/members/${member}/balance`);
  return entries
    .filter((entry: { type: string; orderId?: string }) => entry.type === 'earn' && entry.orderId === orderId)
    .map(({ points }: { points: number }) => points);
};

/** A completed order of which the Loyalty Platform has not heard. */
async function unheardOf(scene: ReturnScene, customerId?: string) {
  await scene.rehearsal.fault('silence', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
  return scene.completed(undefined, customerId);
}

describe('Earn Points for a completed order', () => {
  test('before its event books the worth of the order, and the event adds nothing', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const { id } = await unheardOf(scene);
    expect(await earnedFor(scene, id)).toEqual([]);
    const reply = await earn(rehearsal, id, WORTH);
    expect(reply).toMatchObject({ status: 201, body: { id: 'loy_ada', pointsBalance: 525 } });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await earnedFor(scene, id)).toEqual([25]);
    await rehearsal.verify();
  });

  test('after its event is answered with the account, and nothing changes', async () => {
    await using scene = await returning();
    const { id } = await scene.completed();
    await scene.settle();
    expect(await earn(scene.rehearsal, id, WORTH)).toMatchObject({ status: 200, body: { pointsBalance: 525 } });
    expect(await earnedFor(scene, id)).toEqual([25]);
    await scene.rehearsal.verify();
  });

  test('with another amount than the worth of the order is refused before and after the event and names the worth', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const { id } = await unheardOf(scene);
    for (const amount of [100, WORTH + 490]) {
      expect(await earn(rehearsal, id, amount)).toMatchObject({
        status: 422,
        body: {
          code: 'validation_failed',
          errors: [{ pointer: '/amount', code: 'other_amount', detail: expect.stringContaining('25.98 EUR') }],
        },
      });
    }
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await earn(rehearsal, id, 100)).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', objectType: 'order', id, standing: { amount: euros(WORTH) } },
    });
    expect(await earnedFor(scene, id)).toEqual([25]);
    await rehearsal.verify();
  });

  test('takes back for a refund as many points as the event does, in either order', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const { id, payments } = await unheardOf(scene);
    await rehearsal.ok('POST', `/payments/${payments[0].id}/refunds`, { amount: euros(1299) });
    await rehearsal.settle();
    // The refund was recorded before; the call and its repeat book both.
    expect(await earn(rehearsal, id, WORTH)).toMatchObject({ status: 201, body: { pointsBalance: 512 } });
    expect(await earn(rehearsal, id, WORTH)).toMatchObject({ status: 200, body: { pointsBalance: 512 } });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await rehearsal.ok('GET', '/members/loy_ada/balance')).toMatchObject({ pointsBalance: 512 });
    await rehearsal.verify();
  });

  test('without a member gives its points to the first member who claims them, once', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const sale = await rehearsal.ok('POST', '/transactions', {
      ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
    });
    await rehearsal.ok('POST', `/transactions/${sale.id}/payment`, { tender: { type: 'cash' }, amount: euros(WORTH) });
    expect(await earn(rehearsal, sale.id, WORTH, 'loy_clara')).toMatchObject({ status: 201 });
    expect(await earnedFor(scene, sale.id, 'loy_clara')).toEqual([25]);
    expect(await earn(rehearsal, sale.id, WORTH, 'loy_clara')).toMatchObject({ status: 200 });
    expect(await earn(rehearsal, sale.id, WORTH)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/orderId', code: 'order_of_another' }] },
    });
    await rehearsal.verify();
  });
});

describe('Earn Points is refused, and books nothing,', () => {
  const entriesOf = async (rehearsal: TestRehearsal, member: string) => (await rehearsal.ok('GET', `/members/${member}/balance`)).entries;

  test('for an unknown order', async () => {
    await using scene = await returning();
    const before = await entriesOf(scene.rehearsal, 'loy_ada');
    expect(await earn(scene.rehearsal, 'ord_nobody', 4900)).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'order', id: 'ord_nobody' },
    });
    expect(await entriesOf(scene.rehearsal, 'loy_ada')).toEqual(before);
    await scene.rehearsal.verify();
  });

  test('for an order of another member, and of a customer with another membership', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const { id } = await unheardOf(scene);
    expect(await earn(rehearsal, id, WORTH, 'loy_clara')).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/orderId', code: 'order_of_another' }] },
    });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await earnedFor(scene, id)).toEqual([25]);
    expect(await earnedFor(scene, id, 'loy_clara')).toEqual([]);
    await rehearsal.verify();
  });

  test('for an order that is draft, confirmed, in fulfilment or cancelled, and earns once it is completed', async () => {
    await using scene = await returning();
    const { rehearsal } = scene;
    const { id } = await scene.draftOf([{ sku: 'mug-blue', qty: 2 }]);
    const refusedIn = async (orderId: string, currentState: string) =>
      expect(await earn(rehearsal, orderId, WORTH)).toMatchObject({
        status: 409,
        body: {
          ...{ code: 'invalid_state_transition', objectType: 'order', id: orderId, currentState, action: 'earn' },
          ...{ allowedFrom: ['completed', 'return-in-progress'], retryable: false },
        },
      });
    await refusedIn(id, 'draft');
    await scene.authorise(id);
    await rehearsal.ok('POST', `/orders/${id}/confirm`);
    await refusedIn(id, 'confirmed');
    const [fulfilment] = await scene.routed(id);
    const parcel = await scene.sent(fulfilment?.id ?? '');
    await refusedIn(id, 'in-fulfilment');
    await scene.delivered(parcel);
    expect(await earnedFor(scene, id)).toEqual([25]);
    const other = await scene.draftOf([{ sku: 'mug-blue', qty: 1 }]);
    await scene.cancel(other.id);
    await refusedIn(other.id, 'cancelled');
    await rehearsal.verify();
  });

  test('while the OMS, which knows the worth of an order, is down', async () => {
    await using scene = await returning();
    const { id } = await unheardOf(scene);
    await scene.down('oms');
    expect(await earn(scene.rehearsal, id, WORTH)).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'oms', retryable: true },
    });
  });
});

test('Earn Points by hand keeps the invariants of the estate: an order earns exactly its worth', async () => {
  await using scene = await returning();
  const { rehearsal } = scene;
  const { id } = await unheardOf(scene);
  await earn(rehearsal, id, 100);
  await earn(rehearsal, 'ord_nobody', 4900);
  await rehearsal.noFaults();
  await rehearsal.verify();
});
