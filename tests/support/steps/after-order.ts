import { expect } from '@jest/globals';
import { givenSteps } from './given.ts';
import type { withSteps } from './rehearsal-at.ts';
import { eur } from './tender.ts';

/**
 * Plays the journeys that begin, or continue, after an order was placed. Warehouse, carrier and returns move by hand.
 * An order with given prices loses a mug before picking, arrives, and comes back in part. A mug of another order is replaced.
 */
export async function playJourneys(rehearsal: ReturnType<typeof withSteps>): Promise<void> {
  const { api, settle, order } = rehearsal;
  const { id } = (await givenSteps(rehearsal).noted()).order;
  const confirmed = await api('confirm-order-api', { params: { id } });
  const lineId = confirmed.lines[0]?.lineId ?? '';
  const { changes } = await api('change-order-api', { params: { id }, body: { lines: [{ lineId, qty: 2 }] } });
  // Three mugs cost 28.34, so one of them is worth floor(28.34 / 3).
  expect(changes?.[0]?.refund).toEqual(eur(944));
  await settle();
  await arrive(id);
  // Of 28.34, 9.44 are given back; one of the other two mugs is worth floor(28.34 · 2 / 3) − 9.44.
  const returned = await rehearsal.inspected(await order(id), 1);
  await settle();
  expect(await rehearsal.returned(returned)).toMatchObject({ refundAmount: eur(945) });

  const other = await rehearsal.confirmed({ qty: 2 });
  await arrive(other.id);
  const lines = [{ orderLineId: other.lines[0]?.lineId ?? '', qty: 1 }];
  await api('create-replacement-api', { params: { id: other.id }, body: { lines, reason: 'damaged' } });
  await arrive(other.id);
  expect(await order(other.id)).toMatchObject({
    state: 'completed',
    paymentStatus: 'paid',
    replacements: [{ lines: [{ deliveredQty: 1, failedQty: 0 }] }],
  });

  async function arrive(orderId: string): Promise<void> {
    await settle();
    for (const { id: fulfillmentOrder, state } of await rehearsal.routed(orderId))
      if (state === 'allocated') await rehearsal.delivered(await rehearsal.dispatched(fulfillmentOrder));
  }
}
