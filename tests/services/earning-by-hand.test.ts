import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';

/** Two mugs at 12.99 earn 25 points; the shipping earns none. */
const WORTH = 2598;

const earn = (rehearsal: TestRehearsal, orderId: string, amount: number, member = 'loy_ada') =>
  rehearsal.call('earn-points-api', { params: { id: member }, body: { orderId, amount: eur(amount) } });

const earnedFor = async (rehearsal: TestRehearsal, orderId: string, member = 'loy_ada'): Promise<number[]> => {
  const { entries } = await rehearsal.api('get-member-balance-api', { params: { id: member } });
  return entries
    .filter((entry: { type: string; orderId?: string }) => entry.type === 'earn' && entry.orderId === orderId)
    .map(({ points }: { points: number }) => points);
};

/** A completed order of which the Loyalty Platform has not heard. */
async function unheardOf(scene: TestRehearsal, customerId?: string) {
  await scene.fault('silence', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
  return scene.completed(undefined, customerId);
}

describe('Earn Points for a completed order', () => {
  test('before its event books the worth of the order, and the event adds nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await unheardOf(scene);
    expect(await earnedFor(scene, id)).toEqual([]);
    const reply = await earn(scene, id, WORTH);
    expect(reply).toMatchObject({ status: 201, body: { id: 'loy_ada', pointsBalance: 525 } });
    await scene.noFaults();
    await scene.settle();
    expect(await earnedFor(scene, id)).toEqual([25]);
    await scene.verify();
  });

  test('after its event is answered with the account, and nothing changes', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.completed();
    await scene.settle();
    expect(await earn(scene, id, WORTH)).toMatchObject({ status: 200, body: { pointsBalance: 525 } });
    expect(await earnedFor(scene, id)).toEqual([25]);
    await scene.verify();
  });

  test('with another amount than the worth of the order is refused before and after the event and names the worth', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await unheardOf(scene);
    for (const amount of [100, WORTH + 490]) {
      expect(await earn(scene, id, amount)).toMatchObject({
        status: 422,
        body: {
          code: 'validation_failed',
          errors: [{ pointer: '/amount', code: 'other_amount', detail: expect.stringContaining('25.98 EUR') }],
        },
      });
    }
    await scene.noFaults();
    await scene.settle();
    expect(await earn(scene, id, 100)).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', objectType: 'order', id, standing: { amount: eur(WORTH) } },
    });
    expect(await earnedFor(scene, id)).toEqual([25]);
    await scene.verify();
  });

  test('takes back for a refund as many points as the event does, in either order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, payments } = await unheardOf(scene);
    await scene.api('refund-payment-api', { params: { id: payments[0].id }, body: { amount: eur(1299) } });
    await scene.settle();
    // The refund was recorded before; the call and its repeat book both.
    expect(await earn(scene, id, WORTH)).toMatchObject({ status: 201, body: { pointsBalance: 512 } });
    expect(await earn(scene, id, WORTH)).toMatchObject({ status: 200, body: { pointsBalance: 512 } });
    await scene.noFaults();
    await scene.settle();
    expect(await scene.api('get-member-balance-api', { params: { id: 'loy_ada' } })).toMatchObject({ pointsBalance: 512 });
    await scene.verify();
  });

  test('without a member gives its points to the first member who claims them, once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const sale = await scene.api('create-transaction-api', {
      body: {
        ...{ storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] },
      },
    });
    await scene.api('add-payment-api', { params: { id: sale.id }, body: { tender: { type: 'cash' }, amount: eur(WORTH) } });
    expect(await earn(scene, sale.id, WORTH, 'loy_clara')).toMatchObject({ status: 201 });
    expect(await earnedFor(scene, sale.id, 'loy_clara')).toEqual([25]);
    expect(await earn(scene, sale.id, WORTH, 'loy_clara')).toMatchObject({ status: 200 });
    expect(await earn(scene, sale.id, WORTH)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/orderId', code: 'order_of_another' }] },
    });
    await scene.verify();
  });
});

describe('Earn Points is refused, and books nothing,', () => {
  const entriesOf = async (rehearsal: TestRehearsal, member: string) =>
    (await rehearsal.api('get-member-balance-api', { params: { id: member } })).entries;

  test('for an unknown order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const before = await entriesOf(scene, 'loy_ada');
    expect(await earn(scene, 'ord_nobody', 4900)).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'order', id: 'ord_nobody' },
    });
    expect(await entriesOf(scene, 'loy_ada')).toEqual(before);
    await scene.verify();
  });

  test('for an order of another member, and of a customer with another membership', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await unheardOf(scene);
    expect(await earn(scene, id, WORTH, 'loy_clara')).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/orderId', code: 'order_of_another' }] },
    });
    await scene.noFaults();
    await scene.settle();
    expect(await earnedFor(scene, id)).toEqual([25]);
    expect(await earnedFor(scene, id, 'loy_clara')).toEqual([]);
    await scene.verify();
  });

  test('for an order that is draft, confirmed, in fulfilment or cancelled, and earns once it is completed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    const refusedIn = async (orderId: string, currentState: string) =>
      expect(await earn(scene, orderId, WORTH)).toMatchObject({
        status: 409,
        body: {
          ...{ code: 'invalid_state_transition', objectType: 'order', id: orderId, currentState, action: 'earn' },
          ...{ allowedFrom: ['completed', 'return-in-progress'], retryable: false },
        },
      });
    await refusedIn(id, 'draft');
    await scene.authorisation(id);
    await scene.confirmed(id);
    await refusedIn(id, 'confirmed');
    const [fulfilment] = await scene.routed(id);
    const parcel = await scene.dispatched(fulfilment?.id ?? '');
    await refusedIn(id, 'in-fulfilment');
    await scene.delivered(parcel);
    expect(await earnedFor(scene, id)).toEqual([25]);
    const other = await scene.draft({ lines: [{ sku: 'mug-blue', qty: 1 }] });
    await scene.cancel(other.id);
    await refusedIn(other.id, 'cancelled');
    await scene.verify();
  });

  test('while the OMS, which knows the worth of an order, is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await unheardOf(scene);
    await scene.down('oms');
    expect(await earn(scene, id, WORTH)).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'oms', retryable: true },
    });
  });
});

test('Earn Points by hand keeps the invariants of the estate: an order earns exactly its worth', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
  const { id } = await unheardOf(scene);
  await earn(scene, id, 100);
  await earn(scene, 'ord_nobody', 4900);
  await scene.noFaults();
  await scene.verify();
});
