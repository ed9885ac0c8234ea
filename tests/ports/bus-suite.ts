import { describe, expect, test } from '@jest/globals';
import { type Bus, type BusMessage, TYPE_HEADER } from '../../shared/events/bus.ts';
import { eventually } from '../support/eventually.ts';

const TOPIC = 'uc.order.events';
/** A transport that has to join a group first takes its time. */
const PATIENCE_MS = 20_000;

let worlds = 0;

/** A world of its own for each test: on a real broker the records of all the others are still there. */
const nextWorld = (): string => `r${process.pid}-${Date.now()}~${++worlds}`;

const message = (world: string, id: string, { key = 'k', topic = TOPIC } = {}): BusMessage => ({
  topic,
  key,
  headers: { id, world },
  json: `{"id":"${id}"}`,
});

/** Contract of every bus adapter: delivery at least once, ordered per key, as copies. */
export function busSuite(name: string, create: () => Promise<Bus>): void {
  describe(`bus: ${name}`, () => {
    test('every subscriber of a topic gets each message with its world, id and json, its type, and the hop that published it', async () => {
      const bus = await create();
      const world = nextWorld();
      const got = new Set<string>();
      for (const application of ['crm', 'oms'] as const) {
        await bus.subscribe(application, { topics: [TOPIC] }, async ({ world: of, id, json, headers: { hop, type } }) => {
          if (of === world) got.add(`${application} ${id} ${json} ${hop} ${type}`);
        });
      }
      const known = message(world, 'e1');
      await bus.publish([
        { ...known, headers: { ...known.headers, hop: 'req_1', [TYPE_HEADER]: 'com.unified-commerce.order-confirmed' } },
        message(world, 'e3'),
      ]);
      await bus.publish([message(world, 'e2', { topic: 'uc.payment.events' })]);
      await eventually('both get it', async () => got.size === 4, PATIENCE_MS);
      expect([...got].sort()).toEqual([
        'crm e1 {"id":"e1"} req_1 com.unified-commerce.order-confirmed',
        'crm e3 {"id":"e3"} undefined undefined',
        'oms e1 {"id":"e1"} req_1 com.unified-commerce.order-confirmed',
        'oms e3 {"id":"e3"} undefined undefined',
      ]);
      await bus.close();
    });

    test('a message whose type is for others is not delivered, unlike one of another type or without any', async () => {
      const bus = await create();
      const world = nextWorld();
      const got: string[] = [];
      await bus.subscribe('crm', { topics: [TOPIC], isForOthers: (type) => type === 'theirs' }, async ({ world: of, id }) => {
        if (of === world) got.push(id);
      });
      const typed = (id: string, type: string): BusMessage => {
        const { headers, ...rest } = message(world, id);
        return { ...rest, headers: { ...headers, [TYPE_HEADER]: type } };
      };
      await bus.publish([typed('e1', 'theirs'), typed('e2', 'ours'), message(world, 'e3')]);
      await eventually('the last one is delivered', async () => got.includes('e3'), PATIENCE_MS);
      expect(got).toEqual(['e2', 'e3']);
      await bus.close();
    });

    test('messages of one key are delivered one at a time and in order, even to a slow consumer', async () => {
      const bus = await create();
      const world = nextWorld();
      const done: string[] = [];
      let running = 0;
      let overlapped = false;
      await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
        if (of !== world) return;
        running += 1;
        overlapped ||= running > 1;
        await new Promise((resolve) => setTimeout(resolve, id === 'e1' ? 30 : 1));
        running -= 1;
        done.push(id);
      });
      await bus.publish([message(world, 'e1'), message(world, 'e2')]);
      await bus.publish([message(world, 'e3')]);
      await eventually('all three are consumed', async () => done.length === 3, PATIENCE_MS);
      expect(done).toEqual(['e1', 'e2', 'e3']);
      expect(overlapped).toBe(false);
      await bus.close();
    });

    test('messages of another key do not wait for a slow message', async () => {
      const bus = await create();
      const world = nextWorld();
      const done: string[] = [];
      const slow = Promise.withResolvers<void>();
      await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
        if (of !== world) return;
        if (id === 'slow') await slow.promise;
        done.push(id);
      });
      await bus.publish([message(world, 'slow', { key: 'a' })]);
      for (const key of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) await bus.publish([message(world, key, { key })]);
      await eventually('all others are consumed', async () => done.length === 7, PATIENCE_MS);
      slow.resolve();
      await eventually('the slow one is consumed', async () => done.includes('slow'));
      await bus.close();
    });

    test('publishing does not wait for consumers, and a consumer that throws does not stop messages of another key', async () => {
      const bus = await create();
      const world = nextWorld();
      const done: string[] = [];
      await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
        if (of !== world) return;
        if (id === 'poison') throw new Error('poison');
        done.push(id);
      });
      await bus.publish([message(world, 'poison', { key: 'a' }), message(world, 'e2', { key: 'b' })]);
      await eventually('the other message is consumed', async () => done.includes('e2'), PATIENCE_MS);
      await bus.close();
    });

    test('a failed message is redelivered before later messages of the same key', async () => {
      const bus = await create();
      const world = nextWorld();
      const tried: string[] = [];
      await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
        if (of !== world) return;
        tried.push(id);
        if (tried.length < 3) throw new Error('the store is away');
      });
      await bus.publish([message(world, 'e1'), message(world, 'e2')]);
      await eventually('the one behind is consumed', async () => tried.includes('e2'), PATIENCE_MS);
      expect(tried).toEqual(['e1', 'e1', 'e1', 'e2']);
      await bus.close();
    });

    test('a stopped subscription finishes started deliveries and receives no more messages', async () => {
      const bus = await create();
      const world = nextWorld();
      const begun: string[] = [];
      const done: string[] = [];
      const subscription = await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
        if (of !== world) return;
        begun.push(id);
        await new Promise((resolve) => setTimeout(resolve, 20));
        done.push(id);
      });
      await bus.publish([message(world, 'e1')]);
      await eventually('the message is being consumed', async () => begun.length > 0, PATIENCE_MS);
      await subscription.stop();
      await bus.publish([message(world, 'e2')]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(done).toEqual(['e1']);
      await bus.close();
    });

    test('the bus is ready when every subscription has started', async () => {
      const bus = await create();
      await bus.subscribe('crm', { topics: [TOPIC] }, async () => undefined);
      await eventually('it is ready', async () => bus.state().ready, PATIENCE_MS);
      expect(bus.state()).toEqual({ ready: true });
      await bus.close();
    });
  });
}
