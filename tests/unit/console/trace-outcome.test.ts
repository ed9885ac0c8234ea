import { expect, test } from '@jest/globals';
import { outcomeOf, withOutcome } from '../../../ui/activity/trace-outcome.ts';
import { traceTree } from '../../../ui/sequence/trace-tree.ts';
import { aHop } from './a-hop.ts';

const anEvent = (subject: string, aggregateversion: number, state?: string) => ({
  order: aggregateversion,
  event: { id: `${subject}-${aggregateversion}`, subject, aggregateversion, data: { object: { state } } },
});
const tree = (path: string) => traceTree([aHop('request', 'oms', { path })]);

test('The outcome of a trace is the newest state of the object in the request, for any order of its events', () => {
  const events = [anEvent('payment/pay_1', 2, 'authorised'), anEvent('order/ord_1', 3, 'confirmed'), anEvent('order/ord_1', 2, 'draft')];
  expect(outcomeOf(tree('/orders/ord_1/confirm'), events)).toEqual({ type: 'order', state: 'confirmed' });
});

test('The outcome of a trace is the state of the first changed object when the request names none', () => {
  const events = [anEvent('fulfillment-order/ffo_1', 1, 'created'), anEvent('order/ord_1', 2, 'draft')];
  expect(outcomeOf(tree('/orders'), events)).toEqual({ type: 'fulfillment-order', state: 'created' });
});

test('The outcome of a trace is undefined when no object with states changed', () => {
  expect(outcomeOf(tree('/products/mug-blue'), [])).toBeUndefined();
  expect(outcomeOf(tree('/orders'), [anEvent('coupon/c', 1)])).toBeUndefined();
});

test('The outcome of a trace follows the sentence about the trace', () => {
  const words = (outcome?: { type: string; state: string }) =>
    withOutcome(['It took ', { fault: 'slow' }, ' in OMS.'], outcome)
      .map((part) => (typeof part === 'string' ? part : Object.values(part)[0]))
      .join('');
  expect(words({ type: 'fulfillment-order', state: 'created' })).toBe('It took slow in OMS; the fulfillment order ended created.');
  expect(words()).toBe('It took slow in OMS.');
});
