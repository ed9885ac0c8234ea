import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { Agent } from 'undici';
import * as crm from '../../services/crm/service.ts';
import { endOfMembership } from '../../shared/events/kafka/subscription.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';

const stopping = new AbortController();
const watched = (ended: Promise<string>, lastSign: () => number) =>
  endOfMembership({ ended, lastSign }, { deafMs: 60_000, everyMs: 1, stopping: stopping.signal });

test('A member that rejoins its group repeatedly leaves neither a listener nor a loop behind', async () => {
  let looks = 0;
  const lastSign = () => {
    looks += 1;
    return Date.now();
  };
  for (let time = 0; time < 50; time++) expect(await watched(Promise.resolve(`crash ${time}`), lastSign)).toBe(`crash ${time}`);
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  const before = looks;
  let later = 0;
  const staying = watched(new Promise(() => {}), () => {
    later += 1;
    return Date.now();
  });
  await eventually('the member has checked a few times', async () => later > 5);
  expect(looks).toBe(before);
  stopping.abort();
  await staying;
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('A member without an answer from the broker reports it after the limit', async () => {
  const membership = { ended: new Promise(() => {}), lastSign: () => 0 };
  const reason = await endOfMembership(membership, { deafMs: 60_000, everyMs: 1, stopping: new AbortController().signal });
  expect(reason).toEqual(new Error('no sign of the broker for 60 seconds'));
});

test('An application whose subscriptions cannot start stops listening, and can start again at its port', async () => {
  const port = await freePort();
  const agent = new Agent();
  const transport = createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: 't', agent });
  const parts = {
    service: crm.service,
    adapter: createMemoryStore(),
    transport,
    token: 't',
    agent,
    log: createLogger('silent'),
    host: '127.0.0.1',
    port,
  };
  const subscribe = () => Promise.reject(new Error('unknown topic'));
  const starting = startApplication({ ...parts, bus: { ...createMemoryBus(), subscribe }, strictResponses: true });
  await expect(starting).rejects.toThrow('unknown topic');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  const again = await startApplication({ ...parts, bus: createMemoryBus(), strictResponses: true });
  expect(again.url).toContain(String(port));
  await again.close();
  await agent.close();
});
