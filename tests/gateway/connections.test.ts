import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createProxy } from '../../gateway/proxy.ts';
import { watchConnections } from '../../shared/process/connections.ts';
import { eventually } from '../support/eventually.ts';

const IDLE_MS = 100;

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

test('The gateway closes an idle connection to an application before the application does, and not one in use', async () => {
  const open = new Set<unknown>();
  let connections = 0;
  // It never closes an idle connection itself, and answers later than the limit.
  const application = createServer(
    { keepAliveTimeout: 0 },
    (_request, response) => void setTimeout(() => response.end('late'), 3 * IDLE_MS),
  );
  application.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const target = await listening(application);
  const proxy = createProxy({ addressOf: () => target, timeoutMs: 60_000, idleMs: IDLE_MS, draining: () => false });
  const front = createServer(
    (request, response) => void proxy.forward(request, response, { application: 'oms', body: undefined, ownHeaders: [] }),
  );
  const gateway = await listening(front);
  try {
    for (const connectionsSoFar of [1, 2]) {
      expect(await (await fetch(gateway)).text()).toBe('late');
      expect(connections).toBe(connectionsSoFar);
      await eventually('the idle connection is closed', async () => open.size === 0);
    }
  } finally {
    proxy.close();
    await Promise.all([stop(front), stop(application)]);
  }
});

test('The gateway ends a connection that has grown old with its next answer, also with that of an application', async () => {
  const application = createServer((_request, response) => void response.end('{}'));
  const target = await listening(application);
  const proxy = createProxy({ addressOf: () => target, timeoutMs: 60_000, draining: () => false });
  const front = createServer(
    (request, response) => void proxy.forward(request, response, { application: 'oms', body: undefined, ownHeaders: [] }),
  );
  const connections = watchConnections(front, { oldestMs: -1 });
  const gateway = await listening(front);
  try {
    expect((await fetch(gateway)).headers.get('connection')).toBe('close');
  } finally {
    proxy.close();
    await Promise.all([connections.close(), stop(application)]);
  }
});
