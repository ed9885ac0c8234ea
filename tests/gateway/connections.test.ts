import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { expect, test } from '@jest/globals';
import { createProxy } from '../../gateway/proxy.ts';
import type { Context } from '../../shared/control/context.ts';
import type { World } from '../../shared/domain/world.ts';
import { listen, watchConnections } from '../../shared/process/fair-server.ts';
import { eventually } from '../support/eventually.ts';

const IDLE_MS = 100;
const IDS = { requestId: 'req_1', correlationId: 'req_1' };
const CONTEXT: Context = { ...IDS, world: 'r~1' as World, now: 0, principal: 'client', deadline: 0, faults: 0, chain: [] };

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** A server in front of an application, with the proxy of the gateway. */
async function inFrontOf(application: Server, times: { readonly idleMs?: number } = {}) {
  const target = await listen(application, 0, '127.0.0.1');
  const proxy = createProxy({ addressOf: () => target, timeoutMs: 60_000, draining: () => false, ...times });
  const forwarded = { application: 'oms', body: undefined, context: CONTEXT, ownHeaders: [] } as const;
  const front = createServer((request, response) => void proxy.forward(request, response, forwarded));
  const close = async () => {
    proxy.close();
    await Promise.all([front.listening ? stop(front) : undefined, stop(application)]);
  };
  return { front, url: await listen(front, 0, '127.0.0.1'), [Symbol.asyncDispose]: close };
}

test('The gateway closes idle connections to an application before the application does, and closes no connection in use', async () => {
  const open = new Set<unknown>();
  let connections = 0;
  // The application never closes an idle connection, and answers later than the limit.
  const answerLate: RequestListener = (_request, response) => void setTimeout(() => response.end('late'), 3 * IDLE_MS);
  const application = createServer({ keepAliveTimeout: 0 }, answerLate);
  application.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await using gateway = await inFrontOf(application, { idleMs: IDLE_MS });
  for (const connectionsSoFar of [1, 2]) {
    expect(await (await fetch(gateway.url)).text()).toBe('late');
    expect(connections).toBe(connectionsSoFar);
    await eventually('the idle connection is closed', async () => open.size === 0);
  }
});

test('The gateway closes a connection that has reached its maximum age after the next answer', async () => {
  await using gateway = await inFrontOf(createServer((_request, response) => void response.end('{}')));
  const connections = watchConnections(gateway.front, { oldestMs: -1 });
  expect((await fetch(gateway.url)).headers.get('connection')).toBe('close');
  await connections.close();
});
