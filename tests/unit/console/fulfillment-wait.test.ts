import { expect, test } from '@jest/globals';
import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { waitOf } from '../../../ui/objects/fulfillment-wait.ts';

const ENDS = ['delivered', 'returned-to-sender', 'cancelled'];

test('A fulfillment order waits for a step in every state except final states', () => {
  for (const mode of ['manual', 'time', 'immediate'] as const) {
    const waiting = fulfillmentOrderLifeCycle.states.filter((state) => waitOf(state, { warehouse: mode, carrier: mode }) !== undefined);
    expect(waiting).toEqual(fulfillmentOrderLifeCycle.states.filter((state) => !ENDS.includes(state)));
  }
});

test.each([
  ['allocated', 'manual', /caller of Create Picking Order/, 'Let the warehouse follow the clock'],
  ['picking', 'manual', /caller of Update Picking Status/, 'Let the warehouse follow the clock'],
  ['packed', 'manual', /caller of Dispatch Fulfillment Order/, 'Let the warehouse follow the clock'],
  ['packed', 'time', /once its payment is captured/, '+1 hour'],
  ['dispatched', 'time', /the carrier/, '+1 day'],
  ['dispatched', 'manual', /scans of its parcel/, 'Let the carrier follow the clock'],
] as const)('A fulfillment order that is %s, with progression %s, names what it waits for', (state, mode, text, label) => {
  const wait = waitOf(state, { warehouse: mode, carrier: mode });
  expect([wait?.text, wait?.button]).toEqual([expect.stringMatching(text), label]);
});
