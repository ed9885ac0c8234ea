import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ISocketFactory } from 'kafkajs';
import { openSocket } from '../../shared/events/kafka/sockets.ts';

const unguarded: ISocketFactory = createRequire(import.meta.url)('kafkajs/src/network/socketFactory')();

let server: Server;
const accepted = new Set<Socket>();

/** The server never closes a connection, as a frozen broker. */
beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }, (socket) => accepted.add(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of accepted) socket.destroy();
  accepted.clear();
  await new Promise((closed) => server.close(closed));
});

/** A connection to the server by a way of opening sockets. */
function opened(open: ISocketFactory) {
  const { port } = server.address() as AddressInfo;
  const { promise: isOpen, resolve } = Promise.withResolvers<'open'>();
  const ssl = undefined as unknown as Parameters<ISocketFactory>[0]['ssl'];
  const socket = open({ host: '127.0.0.1', port, ssl, onConnect: () => resolve('open') });
  return { socket, isOpen };
}

const firstOf = ({ socket, isOpen }: ReturnType<typeof opened>) => Promise.race([isOpen, once(socket, 'close').then(() => 'closed')]);

test('kafkajs without the guard still opens a connection that it has ended', async () => {
  const connection = opened(unguarded);
  connection.socket.end();
  expect(await firstOf(connection)).toBe('open');
  connection.socket.destroy();
});

test('A connection to Kafka that is ended before it opens is closed and never opens', async () => {
  const connection = opened(openSocket);
  connection.socket.end();
  expect(await firstOf(connection)).toBe('closed');
});

test('An open connection to Kafka ends after everything was sent', async () => {
  const { socket, isOpen } = opened(openSocket);
  const accepting = once(server, 'connection');
  await isOpen;
  const [peer] = (await accepting) as [Socket];
  socket.end('the last request');
  expect(String(await peer.toArray())).toBe('the last request');
});
