import { describe, expect, test } from '@jest/globals';
import type { Bus, BusMessage } from '../../shared/events/bus.ts';
import { eventually } from '../support/eventually.ts';

const message = (id: string, key = 'k', topic = 'uc.order.events'): BusMessage => ({
  topic,
  key,
  headers: { id, world: 'r~1' },
  json: `{"id":"${id}"}`,
});

/** What every bus adapter must do: at least once, ordered per key, copies instead of references. */
export function busSuite(name: string, create: () => Promise<Bus>): void {
  describe(`bus: ${name}`, () => {
    test('every subscriber of a topic gets each message with its world, id and json', async () => {
      const bus = await create();
      const got: string[] = [];
      for (const application of ['crm', 'oms'] as const) {
        await bus.subscribe(
          application,
          ['uc.order.events'],
          async (world, id, json) => void got.push(`${application} ${world} ${id} ${json}`),
        );
      }
      await bus.publish([message('e1'), message('e2', 'k', 'uc.payment.events')]);
      await eventually('both get it', async () => got.length === 2);
      expect(got.sort()).toEqual(['crm r~1 e1 {"id":"e1"}', 'oms r~1 e1 {"id":"e1"}']);
      await bus.close();
    });

    test('messages of one key come one after the other, in order, however slow the consumer is', async () => {
      const bus = await create();
      const done: string[] = [];
      let running = 0;
      await bus.subscribe('crm', ['uc.order.events'], async (_world, id) => {
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, id === 'e1' ? 30 : 1));
        running -= 1;
        done.push(id);
      });
      await bus.publish([message('e1'), message('e2')]);
      await bus.publish([message('e3')]);
      await eventually('all three are consumed', async () => done.length === 3);
      expect(done).toEqual(['e1', 'e2', 'e3']);
      await bus.close();
    });

    test('publishing does not wait for consumers, and a consumer that throws does not stop the next message', async () => {
      const bus = await create();
      const done: string[] = [];
      await bus.subscribe('crm', ['uc.order.events'], async (_world, id) => {
        if (id === 'poison') throw new Error('poison');
        done.push(id);
      });
      await bus.publish([message('poison'), message('e2')]);
      await eventually('the message behind is consumed', async () => done.includes('e2'));
      await bus.close();
    });

    test('a stopped subscription finishes what it was given and gets nothing more', async () => {
      const bus = await create();
      const done: string[] = [];
      const subscription = await bus.subscribe('crm', ['uc.order.events'], async (_world, id) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        done.push(id);
      });
      await bus.publish([message('e1')]);
      await subscription.stop();
      await bus.publish([message('e2')]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(done).toEqual(['e1']);
      await bus.close();
    });
  });
}
