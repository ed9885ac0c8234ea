import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { STORE } from '../support/steps/return.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const LOST = ['collect', 'depart', 'lose'] as const;
const BACK = ['collect', 'depart', 'return'] as const;
/** Two mugs. */
const WORTH = 2598;

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await byHand(progression);
  return {
    ...rehearsal,
    /** A return whose parcel has these scans and has not arrived. */
    onItsWay: async (scans: readonly Parameters<TestRehearsal['scanned']>[1][], more: object = {}) => {
      const order = await rehearsal.completed();
      const { id } = await rehearsal.announced(order, 2, { dropOff: 'carrier', ...more });
      await rehearsal.moved(id, 'approve');
      const parcel: string = (await rehearsal.returned(id)).shipments[0].id;
      await rehearsal.scanned(parcel, ...scans);
      return { id, parcel, order };
    },
    atNode: () => rehearsal.onHand('mug-blue', 'dc-01'),
    /** The whole value is refunded once, and the order has ended. */
    isRefunded: async (id: string, orderId: string) => {
      expect(await rehearsal.returnState(id)).toBe('refunded');
      const ended = { state: 'completed', lines: [{ returnedQty: 2 }], payments: [{ refundedAmount: eur(WORTH) }] };
      expect(await rehearsal.order(orderId)).toMatchObject(ended);
    },
  };
}
const test = testIn(opened);

describe('Lost parcels of returns', () => {
  test('A return whose parcel is lost is written off after a week: refunded, and nothing restocked', async (rehearsal) => {
    const { id, order } = await rehearsal.onItsWay(LOST);
    const before = await rehearsal.atNode();
    await rehearsal.advance('P6D');
    const waiting = await rehearsal.returned(id);
    expect([waiting.state, waiting.shipments[0].state, waiting.writtenOffAt]).toEqual(['in-transit', 'lost', undefined]);
    await rehearsal.verify();
    await rehearsal.advance('P1DT1M');
    const ended = await rehearsal.returned(id);
    expect([ended.writtenOffAt, ended.refunds.length, ended.lines[0].disposition]).toEqual([expect.any(String), 1, undefined]);
    expect(await rehearsal.atNode()).toBe(before);
    await rehearsal.isRefunded(id, order.id);
  });

  test.each(['refund', 'exchange'])('A return for %s can be written off by hand, and is refunded', async (rehearsal, resolution) => {
    const { id, order } = await rehearsal.onItsWay(LOST, { resolution });
    expect(await rehearsal.moved(id, 'write-off')).toMatchObject({ state: 'in-transit', writtenOffAt: expect.any(String) });
    await rehearsal.isRefunded(id, order.id);
  });

  test('A written-off return waits for Refund Payment when refunds are manual, and refuses other verbs', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const { id, order } = await rehearsal.onItsWay(LOST);
    await rehearsal.moved(id, 'write-off');
    const detail = expect.stringContaining('written off');
    expect(await rehearsal.move(id, 'receive')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', detail } });
    const { waiting = [] } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
    expect(waiting.join()).toContain('a caller of Refund Payment');
    await rehearsal.refunded(order.payments[0].id, WORTH, id);
    await rehearsal.settle();
    await rehearsal.isRefunded(id, order.id);
  });

  test('A lost parcel that is found before the write-off is received as usual', async (rehearsal) => {
    const { id, parcel, order } = await rehearsal.onItsWay(LOST);
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.advance('P10D');
    const found = await rehearsal.returned(id);
    expect([found.state, found.shipments[0].state, found.writtenOffAt]).toEqual(['received', 'delivered', undefined]);
    await rehearsal.moved(id, 'inspect');
    await rehearsal.isRefunded(id, order.id);
  });

  test.each(['auto', 'manual'] as const)(
    'A parcel found after the write-off is put into stock and refunded once: refunds %s',
    async (rehearsal, refund) => {
      await rehearsal.progress({ refund });
      const { id, parcel, order } = await rehearsal.onItsWay(LOST);
      const before = await rehearsal.atNode();
      await rehearsal.moved(id, 'write-off');
      await rehearsal.scanned(parcel, 'find');
      expect(await rehearsal.returned(id)).toMatchObject({
        state: refund === 'auto' ? 'refunded' : 'in-transit',
        ...{ shipments: [{ state: 'delivered' }], lines: [{ condition: 'resellable', disposition: 'restock' }] },
      });
      expect(await rehearsal.atNode()).toBe(before + 2);
      if (refund === 'manual') await rehearsal.refunded(order.payments[0].id, WORTH, id);
      await rehearsal.advance('P30D');
      await rehearsal.isRefunded(id, order.id);
    },
  );
});

describe('Parcels of returns that go back to the customer', () => {
  test('A return whose parcel goes back is rejected after a week, and its units may be announced again', async (rehearsal) => {
    const { id, order } = await rehearsal.onItsWay(BACK);
    await rehearsal.advance('P6D');
    expect(await rehearsal.returnState(id)).toBe('in-transit');
    await rehearsal.advance('P1DT1M');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'rejected', rejectReason: expect.stringContaining('went back') });
    expect((await rehearsal.order(order.id)).state).toBe('completed');
    expect((await rehearsal.announced(order, 2)).state).toBe('requested');
  });

  test('A return whose parcel goes back is rejected by hand, or received when the customer brings the goods to the store', async (rehearsal) => {
    const first = await rehearsal.onItsWay(BACK);
    expect(await rehearsal.moved(first.id, 'reject')).toMatchObject({ state: 'rejected' });
    const second = await rehearsal.onItsWay(BACK, { locationId: STORE });
    await rehearsal.moved(second.id, 'receive', 'inspect');
    await rehearsal.advance('P10D');
    expect(await rehearsal.returnState(second.id)).toBe('refunded');
  });
});

describe('Parcels of returns that have a refund', () => {
  test.each([
    ['goes back', BACK, 'P8D', 'in-transit'],
    ['is never collected', [], 'P22D', 'approved'],
  ] as const)(
    'A return with a refund whose parcel %s is not rejected, and waits for its customer',
    async (rehearsal, _what, scans, week, state) => {
      const { id, order } = await rehearsal.onItsWay(scans);
      await rehearsal.refunded(order.payments[0].id, 1000, id);
      await rehearsal.advance(week);
      expect(await rehearsal.returned(id)).toMatchObject({
        state,
        shipments: [{ state: scans.length > 0 ? 'returned-to-sender' : 'lost' }],
      });
      const { waiting } = (await rehearsal.verify()).invariants.find((one) => one.id === 'moving') ?? {};
      expect(waiting).toEqual([`order/${order.id}: its customer, return/${id} is ${state}`]);
      await rehearsal.moved(id, 'receive', 'inspect');
      await rehearsal.settle();
      await rehearsal.isRefunded(id, order.id);
    },
  );
});

describe('Parcels that are never collected', () => {
  test('A return whose parcel is never collected is rejected a week after its loss: the customer has the goods', async (rehearsal) => {
    const { id, order, parcel } = await rehearsal.onItsWay([]);
    await rehearsal.advance('P20D');
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'approved', shipments: [{ state: 'lost' }] });
    await rehearsal.verify();
    await rehearsal.advance('P1DT1H');
    const rejected = { state: 'rejected', rejectReason: 'Its parcel was never handed to the carrier.' };
    expect(await rehearsal.returned(id)).toMatchObject(rejected);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ returnedQty: 0 }] });
    const found = await rehearsal.call('POST', `/_control/shipments/${parcel}/find`, {}, { as: 'admin' });
    const detail = `The customer never handed over the parcel "${parcel}" of the return "${id}", so it cannot be found. No further scan is allowed.`;
    expect(found).toMatchObject({ status: 409, body: { allowedScans: [], allowedFrom: [], detail } });
    expect((await rehearsal.announced(order, 2)).state).toBe('requested');
  });

  test('The goods of a return whose parcel is never collected can be received at the store within a week of its loss', async (rehearsal) => {
    const { id } = await rehearsal.onItsWay([], { locationId: STORE });
    await rehearsal.advance('P15D');
    await rehearsal.moved(id, 'receive', 'inspect');
    await rehearsal.advance('P10D');
    expect(await rehearsal.returnState(id)).toBe('refunded');
  });
});

test.each([
  [[], 'label-created', 'Wait until the parcel arrives'],
  [['collect'], 'collected', 'Wait until the parcel arrives'],
  [['collect', 'depart'], 'in-transit', 'Wait until the parcel arrives'],
  [['collect', 'lose'], 'lost', 'Write the return off'],
] as const)('rejecting a return after the scans %j of its parcel is refused with the remedy', async (rehearsal, scans, state, remedy) => {
  const { id } = await rehearsal.onItsWay(scans);
  const detail = expect.stringContaining(`is ${state}, so its goods may still arrive. ${remedy}`);
  expect(await rehearsal.move(id, 'reject')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', detail } });
});
