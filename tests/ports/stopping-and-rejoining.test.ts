import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import * as crm from '../../services/crm/service.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Bus } from '../../shared/events/bus.ts';
import { endOfMembership } from '../../shared/events/kafka/membership.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { aPlan } from './a-plan.ts';

const log = createLogger('silent');

async function aLongOutbox() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('long', { now: 0, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const store = adapter.store('oms');
  const events = Array.from({ length: 5_000 }, (_, n) => ({ id: `e${n}`, topic: 't', key: 'k', json: '{}', subscribers: [] }));
  await store.commit(world, aPlan({ events }));
  const sent = async (of: World = world) => (await adapter.worlds.events(of, 0, 10_000)).length;
  return { adapter, store, world, sent, all: events.length };
}

/** A bus whose first batch waits until a test lets it go. */
function aSlowBus(): { bus: Bus; batches: number[]; go: () => void; fail: () => void } {
  const first = Promise.withResolvers<void>();
  const batches: number[] = [];
  const bus: Bus = {
    ...createMemoryBus(),
    publish: async (batch) => {
      batches.push(batch.length);
      await first.promise;
    },
  };
  return { bus, batches, go: first.resolve, fail: () => first.reject(new Error('away')) };
}

describe('A relay that is stopped with a long outbox', () => {
  test('ends after the batch in flight: the batch is acknowledged, and another relay can lease the rest at once', async () => {
    const { store, world, sent, all } = await aLongOutbox();
    const { bus, batches, go } = aSlowBus();
    const relay = createRelay({ store, bus, log });
    await eventually('the first batch is on its way', async () => batches.length === 1);
    const stopped = relay.stop();
    go();
    await stopped;
    expect(batches).toHaveLength(1);
    expect(await sent()).toBe(batches[0]);
    expect(await store.unsent()).toEqual([world]);
    const next = createRelay({ store, bus, log });
    await eventually('the rest is sent', async () => (await sent()) === all);
    await next.stop();
  });

  test('also releases the outbox when that batch cannot be sent, and the batch stays in the outbox', async () => {
    const { store, world, sent } = await aLongOutbox();
    const { bus, batches, fail } = aSlowBus();
    const relay = createRelay({ store, bus, log });
    await eventually('the first batch is on its way', async () => batches.length === 1);
    const stopped = relay.stop();
    fail();
    await stopped;
    expect([batches.length, await sent(), await store.unsent()]).toEqual([1, 0, [world]]);
  });
});

test('A member that rejoins its group repeatedly leaves neither a listener nor a loop behind', async () => {
  const stopping = new AbortController();
  let asked = 0;
  const lastSign = (): number => {
    asked += 1;
    return Date.now();
  };
  for (let time = 0; time < 50; time++) {
    const reason = await endOfMembership(
      { ended: Promise.resolve(`crash ${time}`), lastSign },
      { deafMs: 60_000, everyMs: 1, stopping: stopping.signal },
    );
    expect(reason).toBe(`crash ${time}`);
  }
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  const looks = asked;
  let later = 0;
  const stillThere = (): number => {
    later += 1;
    return Date.now();
  };
  const staying = endOfMembership(
    { ended: new Promise(() => {}), lastSign: stillThere },
    { deafMs: 60_000, everyMs: 1, stopping: stopping.signal },
  );
  await eventually('it has looked a few times', async () => later > 5);
  expect(asked).toBe(looks);
  stopping.abort();
  await staying;
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('A member without an answer for too long reports it', async () => {
  const membership = { ended: new Promise(() => {}), lastSign: () => 0 };
  const reason = await endOfMembership(membership, { deafMs: 60_000, everyMs: 1, stopping: new AbortController().signal });
  expect(reason).toEqual(new Error('no sign of the broker for 60 seconds'));
});

describe('An application whose subscriptions cannot start', () => {
  test('does not start, stops listening, and sends nothing', async () => {
    const adapter = createMemoryStore();
    const port = await freePort();
    const bus: Bus = {
      ...createMemoryBus(),
      subscribe: async () => {
        throw new Error('no such topic');
      },
    };
    const agent = new Agent();
    const options = {
      service: crm.service,
      adapter,
      bus,
      transport: createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: 't', agent }),
      token: 't',
      agent,
      log,
    };
    const starting = startApplication({ ...options, host: '127.0.0.1', port, strictResponses: true });
    await expect(starting).rejects.toThrow('no such topic');
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    // Nothing of it is left: it can start there again.
    const again = await startApplication({ ...options, bus: createMemoryBus(), host: '127.0.0.1', port, strictResponses: true });
    expect(again.url).toContain(String(port));
    await again.close();
    await agent.close();
  });
});
