import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Agent } from 'undici';
import type { Context } from '../../shared/control/context.ts';
import type { World } from '../../shared/domain/world.ts';
import { listen } from '../../shared/process/fair-server.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { eventually } from '../support/eventually.ts';
import { addressOf, transportSuite } from './transport-suite.ts';

transportSuite('over HTTP', (reach) => createHttpTransport({ addressOf: addressOf(reach), token: reach.token, agent: reach.agent }));

const IDS = { requestId: 'req_1', correlationId: 'req_1' };
const CONTEXT: Context = { ...IDS, world: 'r~1' as World, now: 0, principal: 'client', deadline: 0, faults: 0, chain: [] };
const CALL = { application: 'oms', method: 'GET', context: CONTEXT, timeoutMs: 5_000 } as const;

/** A server in place of an application, and calls to it on one connection at most. */
async function callsTo(answer: (path: string, end: (text: string) => void) => void, prefix = '') {
  let connections = 0;
  const server = createServer(({ url = '' }, response) => answer(url, (text) => void response.end(text)));
  server.on('connection', () => {
    connections += 1;
  });
  const address = await listen(server, 0, '127.0.0.1');
  const agent = new Agent({ connections: 1 });
  const transport = createHttpTransport({ addressOf: () => `${address}${prefix}`, token: 't', agent });
  return {
    send: (path: string, timeoutMs: number = CALL.timeoutMs) => transport.send({ ...CALL, path, timeoutMs }),
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

test('Calls to an application share a kept connection, and long answers arrive whole', async () => {
  const long = 'ä'.repeat(200_000);
  await using calls = await callsTo((path, end) => end(path === '/long' ? long : path));
  for (let call = 0; call < 20; call++) expect((await calls.send(`/${call}`)).text).toBe(`/${call}`);
  expect((await calls.send('/long')).text).toBe(long);
  expect(calls.connections()).toBe(1);
});

test('A call to an address with a path arrives below this path', async () => {
  await using calls = await callsTo((path, end) => end(path), '/estate/oms');
  expect((await calls.send('/orders?limit=1')).text).toBe('/estate/oms/orders?limit=1');
});

test('A call that waits for a connection until its time is over is never sent', async () => {
  const seen: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  await using calls = await callsTo((path, end) => {
    seen.push(path);
    waiting.push(end);
  });
  const first = calls.send('/first');
  await expect(calls.send('/late', 50)).rejects.toMatchObject({ code: 'dependency_timeout' });
  for (const end of waiting) end('answered');
  expect((await first).text).toBe('answered');
  const last = calls.send('/last');
  await eventually('the last call arrives', async () => seen.includes('/last'));
  for (const end of waiting) end('answered');
  expect([(await last).text, seen]).toEqual(['answered', ['/first', '/last']]);
});
