import { describe, expect, test } from '@jest/globals';
import { type Bus, type BusMessage, CHANGED_BY_HEADER, TYPE_HEADER, type WantedEvents } from '../../shared/events/bus.ts';
import { eventually } from '../support/eventually.ts';

const TOPIC = 'uc.order.events';
/** Timeout that includes joining a consumer group. */
const PATIENCE_MS = 20_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let worlds = 0;

/** Contract of every bus adapter: delivery at least once, ordered per key, as copies. */
export function busSuite(name: string, create: () => Promise<Bus>): void {
  /** A bus with a consumer of the CRM. It sees only this world: a real broker still has the messages of other tests. */
  async function consuming(deliver: (id: string) => unknown, more: Partial<WantedEvents> = {}) {
    const bus = await create();
    await eventually('the bus is connected', async () => bus.state().ready, PATIENCE_MS);
    const world = `r${process.pid}-${Date.now()}~${++worlds}`;
    const subscription = await bus.subscribe('crm', { topics: [TOPIC], ...more }, async ({ world: of, id }) => {
      if (of === world) await deliver(id);
    });
    const message = (id: string, { key = 'k', topic = TOPIC, headers = {} } = {}): BusMessage => ({
      topic,
      key,
      headers: { id, world, ...headers },
      json: `{"id":"${id}"}`,
    });
    return {
      bus,
      world,
      subscription,
      message,
      publish: (...messages: readonly (string | BusMessage)[]) =>
        bus.publish(messages.map((one) => (typeof one === 'string' ? message(one) : one))),
      [Symbol.asyncDispose]: () => bus.close(),
    };
  }

  describe(`bus: ${name}`, () => {
    test('No application gets a message that a fault changed for clients', async () => {
      const got: string[] = [];
      await using open = await consuming((id) => got.push(id));
      const { message, publish } = open;
      await publish(message('changed', { headers: { [CHANGED_BY_HEADER]: 'a-fault' } }), 'after');
      await eventually('the next message arrives', async () => got.length > 0, PATIENCE_MS);
      expect(got).toEqual(['after']);
    });

    test('Every subscriber of a topic gets each message with its world, id and json, its type, and the hop that published it', async () => {
      await using open = await consuming(() => undefined);
      const { bus, world, message, publish } = open;
      const got = new Set<string>();
      for (const application of ['fms', 'oms'] as const) {
        await bus.subscribe(application, { topics: [TOPIC] }, async ({ world: of, id, json, headers: { hop, type } }) => {
          if (of === world) got.add(`${application} ${id} ${json} ${hop} ${type}`);
        });
      }
      const type = 'com.unified-commerce.order-confirmed';
      await publish(message('e1', { headers: { hop: 'req_1', [TYPE_HEADER]: type } }), 'e3');
      await publish(message('e2', { topic: 'uc.payment.events' }));
      await eventually('both get it', async () => got.size === 4, PATIENCE_MS);
      expect([...got].sort()).toEqual([
        `fms e1 {"id":"e1"} req_1 ${type}`,
        'fms e3 {"id":"e3"} undefined undefined',
        `oms e1 {"id":"e1"} req_1 ${type}`,
        'oms e3 {"id":"e3"} undefined undefined',
      ]);
    });

    test('A subscriber does not receive a message of a type that only other applications consume', async () => {
      const got: string[] = [];
      await using open = await consuming((id) => got.push(id), { isForOthers: (type) => type === 'theirs' });
      const typed = (id: string, type: string) => open.message(id, { headers: { [TYPE_HEADER]: type } });
      await open.publish(typed('e1', 'theirs'), typed('e2', 'ours'), 'e3');
      await eventually('the last one is delivered', async () => got.includes('e3'), PATIENCE_MS);
      expect(got).toEqual(['e2', 'e3']);
    });

    test('Messages of one key are delivered one at a time and in order, even to a slow consumer', async () => {
      const done: string[] = [];
      let running = 0;
      let overlapped = false;
      await using open = await consuming(async (id) => {
        running += 1;
        overlapped ||= running > 1;
        await pause(id === 'e1' ? 30 : 1);
        running -= 1;
        done.push(id);
      });
      await open.publish('e1', 'e2');
      await open.publish('e3');
      await eventually('all three are consumed', async () => done.length === 3, PATIENCE_MS);
      expect([done, overlapped]).toEqual([['e1', 'e2', 'e3'], false]);
    });

    test('A slow message delays neither messages of other keys nor publishing', async () => {
      const done: string[] = [];
      const slow = Promise.withResolvers<void>();
      await using open = await consuming(async (id) => {
        if (id === 'slow') await slow.promise;
        done.push(id);
      });
      await open.publish(open.message('slow', { key: 'a' }));
      for (const key of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) await open.publish(open.message(key, { key }));
      await eventually('all others are consumed', async () => done.length === 7, PATIENCE_MS);
      slow.resolve();
      await eventually('the slow one is consumed', async () => done.includes('slow'));
    });

    test('A consumer that throws does not stop messages of other keys', async () => {
      const done: string[] = [];
      await using open = await consuming((id) => {
        if (id === 'poison') throw new Error('poison');
        done.push(id);
      });
      await open.publish(open.message('poison', { key: 'a' }), open.message('e2', { key: 'b' }));
      await eventually('the other message is consumed', async () => done.includes('e2'), PATIENCE_MS);
    });

    test('A failed message is redelivered before later messages of the same key', async () => {
      const tried: string[] = [];
      await using open = await consuming((id) => {
        tried.push(id);
        if (tried.length < 3) throw new Error('the store is away');
      });
      await open.publish('e1', 'e2');
      await eventually('the one behind is consumed', async () => tried.includes('e2'), PATIENCE_MS);
      expect(tried).toEqual(['e1', 'e1', 'e1', 'e2']);
    });

    test('A stopped subscription finishes started deliveries and receives no more messages', async () => {
      const begun: string[] = [];
      const done: string[] = [];
      await using open = await consuming(async (id) => {
        begun.push(id);
        await pause(20);
        done.push(id);
      });
      await open.publish('e1');
      await eventually('the message is being consumed', async () => begun.length > 0, PATIENCE_MS);
      await open.subscription.stop();
      await open.publish('e2');
      await new Promise((resolve) => setImmediate(resolve));
      expect(done).toEqual(['e1']);
    });
  });
}
