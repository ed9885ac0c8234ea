import { expect, test } from '@jest/globals';
import { createDeliveryLanes } from '../../shared/events/delivery-lanes.ts';
import { eventually } from '../support/eventually.ts';

/** Deliveries that run until `end`. */
function heldUp(options: { readonly concurrency: number; readonly capacity?: number }) {
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const begun: string[] = [];
  const done: string[] = [];
  const lanes = createDeliveryLanes({ capacity: 1_000, ...options, failed: () => undefined });
  /** Adds a delivery to the lane of its first letter. */
  const add = (name: string): void => {
    ends.set(name, Promise.withResolvers());
    lanes.add({
      lane: name.charAt(0),
      deliver: async () => {
        begun.push(name);
        await ends.get(name)?.promise;
      },
      done: () => done.push(name),
    });
  };
  return { lanes, add, begun, done, end: (name: string) => ends.get(name)?.resolve() };
}

test('Several lanes deliver concurrently up to the limit, each in order', async () => {
  const { add, begun, end } = heldUp({ concurrency: 2 });
  for (const name of ['a1', 'a2', 'b1', 'c1']) add(name);
  expect(begun).toEqual(['a1', 'b1']);
  end('b1');
  await eventually('the next lane begins', async () => begun.length === 3);
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  end('a1');
  await eventually('the first lane continues', async () => begun.length === 4);
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
});

test('A lane retries a failed delivery with growing pauses before its later deliveries, and does not delay other lanes', async () => {
  const tries: number[] = [];
  const done: string[] = [];
  let failures = 0;
  const lanes = createDeliveryLanes({ concurrency: 1, capacity: 1_000, failed: () => (failures += 1) });
  lanes.add({
    lane: 'a',
    deliver: async () => {
      tries.push(performance.now());
      if (tries.length < 4) throw new Error('away');
    },
    done: () => done.push('a1'),
  });
  lanes.add({ lane: 'a', deliver: async () => undefined, done: () => done.push('a2') });
  lanes.add({ lane: 'b', deliver: async () => undefined, done: () => done.push('b1') });
  await eventually('all are done', async () => done.length === 3);
  expect(done).toEqual(['b1', 'a1', 'a2']);
  expect(failures).toBe(3);
  const [first = 0, second = 0, third = 0, fourth = 0] = tries;
  expect(second - first).toBeGreaterThan(90);
  expect(fourth - third).toBeGreaterThan(second - first);
});

test('Lanes accept another delivery after one completes', async () => {
  const { lanes, add, end } = heldUp({ concurrency: 1, capacity: 2 });
  add('a1');
  expect(lanes.hasRoom()).toBe(true);
  add('a2');
  expect(lanes.hasRoom()).toBe(false);
  const room = lanes.room();
  end('a1');
  await room;
  expect(lanes.hasRoom()).toBe(true);
});

test('Stopped lanes finish waiting deliveries on request, except for failing ones', async () => {
  const { lanes, add, done, end } = heldUp({ concurrency: 1 });
  for (const name of ['a1', 'a2', 'a3']) add(name);
  lanes.add({ lane: 'b', deliver: () => Promise.reject(new Error('away')), done: () => done.push('b1') });
  for (const name of ['a1', 'a2', 'a3']) end(name);
  await lanes.stop('all');
  expect(done).toEqual(['a1', 'a2', 'a3']);
});
