import { afterEach, expect, test } from '@jest/globals';
import { createKafkaBus, type KafkaBus } from '../../shared/events/kafka/bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { serving } from '../conform/serving.ts';
import { eventually } from '../support/eventually.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function busAt(...brokers: string[]): KafkaBus {
  const bus = createKafkaBus({ brokers, clientId: 'test', log: createLogger('silent') });
  closing.push(bus.close);
  return bus;
}

const event = { topic: 'uc.order.events', key: 'k', headers: { id: 'e', world: 'r~1' }, json: '{}' };
/** An address without a listener. */
const NOBODY = '127.0.0.1:1';

test('A bus without its broker is not ready, and names the address and its variable', async () => {
  const bus = busAt(NOBODY);
  await bus.subscribe('crm', { topics: ['uc.order.events'] }, async () => undefined);
  await eventually('the reason is reported', async () => bus.state().waitingFor?.includes('at 127.0.0.1:1: nothing listens there'));
  expect(bus.state()).toMatchObject({ ready: false, waitingFor: expect.stringMatching(/^kafka: .*KAFKA_BROKERS is 127\.0\.0\.1:1/) });
});

test('A bus without its broker fails to publish, with the reason, so that the event stays in the outbox', async () => {
  const bus = busAt(NOBODY);
  await expect(bus.publish([event])).rejects.toThrow(/^kafka: /);
  // The first attempt may end before the connection does.
  const reason = () => bus.publish([event]).catch((error: Error) => error.message);
  await eventually('the reason is reported', async () => (await reason())?.includes('KAFKA_BROKERS is 127.0.0.1:1'));
});

test('A bus without its broker can be closed at any time', async () => {
  const bus = busAt(NOBODY);
  await bus.subscribe('crm', { topics: ['uc.order.events'] }, async () => undefined);
  await bus.close();
  await expect(bus.publish([event])).rejects.toThrow();
});

test('A bus reports a listener at its address that is not Kafka', async () => {
  await using server = await serving(() => undefined);
  const bus = busAt(server.url.replace('http://', ''));
  await eventually('the reason is reported', async () => !bus.state().waitingFor?.includes('connecting'));
  expect(bus.state().waitingFor).toMatch(/^kafka: .*KAFKA_BROKERS is 127\.0\.0\.1/);
});
