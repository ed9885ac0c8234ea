import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { STORE } from '../support/steps/return.ts';
import { eur } from '../support/steps/tender.ts';

/** A return whose parcel has these scans and has not arrived at `dc-01`. */
async function onItsWay(scene: TestRehearsal, scans: Parameters<TestRehearsal['scanned']>[1][], more: object = {}) {
  const order = await scene.completed();
  const { id } = await scene.announced(order, 2, { dropOff: 'carrier', ...more });
  await scene.moved(id, 'approve');
  const parcel: string = (await scene.object('return', id)).shipments[0].id;
  await scene.scanned(parcel, ...scans);
  return { id, parcel, order, node: order.lines[0].nodeId as string };
}

const LOST = ['collect', 'depart', 'lose'] as const;
const parkedIn = async (scene: TestRehearsal) => (await scene.settle()).parked;

describe('A return whose parcel is lost', () => {
  test('is written off after a week: refunded, nothing restocked, and its order is completed', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, order, node } = await onItsWay(scene, [...LOST]);
    const before = await scene.onHand('mug-blue', node);
    await scene.advance('P6D');
    expect(await scene.object('return', id)).toMatchObject({ state: 'in-transit', shipments: [{ state: 'lost' }] });
    expect((await scene.object('return', id)).writtenOffAt).toBeUndefined();
    await scene.verify();
    await scene.advance('P1DT1M');
    const ended = await scene.object('return', id);
    expect([ended.state, ended.writtenOffAt, ended.refunds.length]).toEqual(['refunded', expect.any(String), 1]);
    expect(ended.lines[0].disposition).toBeUndefined();
    expect(await scene.onHand('mug-blue', node)).toBe(before);
    const after = await scene.order(order.id);
    expect([after.state, after.lines[0].returnedQty, after.payments[0].refundedAmount]).toEqual(['completed', 2, eur(2598)]);
    expect(await parkedIn(scene)).toEqual([]);
    await scene.verify();
  });

  test('is written off by time alone: 14 days without a scan, then a week', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await onItsWay(scene, ['collect']);
    await scene.advance('P22D');
    expect(await scene.object('return', id)).toMatchObject({ state: 'refunded', shipments: [{ state: 'lost' }] });
    await scene.verify();
  });

  test('is written off by hand at any time', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await onItsWay(scene, [...LOST]);
    expect(await scene.moved(id, 'write-off')).toMatchObject({ state: 'in-transit', writtenOffAt: expect.any(String) });
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test('and that was to be exchanged is refunded, since no goods came that could pay for another order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, order } = await onItsWay(scene, [...LOST], { resolution: 'exchange' });
    await scene.moved(id, 'write-off');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).payments[0].refundedAmount).toEqual(eur(2598));
    await scene.verify();
  });

  test('waits, once written off, for Refund Payment when refunds are manual, and cannot change otherwise', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const { id, order } = await onItsWay(scene, [...LOST]);
    await scene.moved(id, 'write-off');
    for (const verb of ['receive', 'reject', 'write-off'] as const) {
      const refused = await scene.move(id, verb);
      expect([verb, refused.status, refused.body.code, refused.body.detail]).toEqual([
        ...[verb, 409, 'invalid_state_transition', expect.stringContaining('written off')],
      ]);
    }
    const { invariants } = await scene.verify();
    const { waiting = [] } = invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting.join()).toContain('a caller of Refund Payment');
    await scene.api('refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(2598), returnId: id } });
    await scene.settle();
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).state).toBe('completed');
    await scene.verify();
  });

  test('is refunded when the OMS is back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id } = await onItsWay(scene, [...LOST]);
    await scene.down('oms');
    await scene.move(id, 'write-off');
    await scene.noFaults();
    await scene.advance('PT10M');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });
});

describe('A lost parcel of a return that is found', () => {
  test('before the write-off is received like others', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, parcel } = await onItsWay(scene, [...LOST]);
    await scene.scanned(parcel, 'find');
    expect((await scene.object('return', id)).state).toBe('received');
    await scene.advance('P10D');
    expect((await scene.object('return', id)).writtenOffAt).toBeUndefined();
    await scene.moved(id, 'inspect');
    expect((await scene.object('return', id)).state).toBe('refunded');
    await scene.verify();
  });

  test.each(['auto', 'manual'] as const)('after the write-off is put into stock and refunded once: refunds %s', async (refund) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund });
    const { id, parcel, order, node } = await onItsWay(scene, [...LOST]);
    const before = await scene.onHand('mug-blue', node);
    await scene.moved(id, 'write-off');
    await scene.scanned(parcel, 'find');
    expect(await scene.object('return', id)).toMatchObject({
      state: refund === 'auto' ? 'refunded' : 'in-transit',
      shipments: [{ state: 'delivered' }],
      lines: [{ condition: 'resellable', disposition: 'restock' }],
    });
    expect(await scene.onHand('mug-blue', node)).toBe(before + 2);
    if (refund === 'manual')
      await scene.api('refund-payment-api', {
        params: { id: order.payments[0].id },
        body: { amount: eur(2598), returnId: id },
      });
    await scene.advance('P30D');
    expect((await scene.object('return', id)).state).toBe('refunded');
    expect((await scene.order(order.id)).payments[0].refundedAmount).toEqual(eur(2598));
    expect(await parkedIn(scene)).toEqual([]);
    await scene.verify();
  });
});

describe('A return whose parcel went back to its customer', () => {
  const BACK = ['collect', 'depart', 'return'] as const;

  test('is rejected after a week: the customer keeps the units, which may be announced again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const { id, order } = await onItsWay(scene, [...BACK]);
    await scene.advance('P6D');
    expect((await scene.object('return', id)).state).toBe('in-transit');
    await scene.advance('P1DT1M');
    const ended = await scene.object('return', id);
    expect([ended.state, ended.rejectReason]).toEqual(['rejected', expect.stringContaining('went back')]);
    expect((await scene.order(order.id)).state).toBe('completed');
    expect((await scene.announced(order, 2)).state).toBe('requested');
    await scene.verify();
  });

  test('is rejected by hand, or received when the customer brings the goods to the store', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const first = await onItsWay(scene, [...BACK]);
    expect(await scene.moved(first.id, 'reject')).toMatchObject({ state: 'rejected' });
    const second = await onItsWay(scene, [...BACK], { locationId: STORE });
    await scene.moved(second.id, 'receive', 'inspect');
    await scene.advance('P10D');
    expect((await scene.object('return', second.id)).state).toBe('refunded');
    await scene.verify();
  });
});
