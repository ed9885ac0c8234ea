import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createFairServer, type FairServerOptions } from '../../shared/process/fair-server.ts';
import { eventually } from '../support/eventually.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** A fair server, with its open connections and queued requests. */
async function aServer(listener: RequestListener, options: FairServerOptions = {}) {
  const server: Server = createFairServer(options, listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, sockets, queued: () => [...sockets].reduce((bytes, { writableLength }) => bytes + writableLength, 0) };
}

/** A connection that reads only on request. */
async function aClient(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  const seen = { text: '', ended: false };
  const end = () => Object.assign(seen, { ended: true });
  socket.on('error', () => {}).on('close', end);
  const read = (): void => {
    socket.on('end', end).on('data', (chunk) => Object.assign(seen, { text: seen.text + chunk.toString('latin1') }));
  };
  return { socket, seen, read };
}

/** A server that does not answer, whose connection the client must end. */
async function neverAnswering() {
  const outcome = { over: false };
  const server = await aServer((_request, response) => void response.once('close', () => Object.assign(outcome, { over: true })));
  return { server, outcome, client: await aClient(server.port) };
}

const BIG = Buffer.alloc(300_000, 'x');

test('The server keeps only one answer for a client that sends many requests and reads nothing, and serves other clients', async () => {
  let begun = 0;
  const server = await aServer((request, response) => {
    if (request.url === '/big') begun += 1;
    response.end(request.url === '/big' ? BIG : 'here');
  });
  const greedy = await aClient(server.port);
  greedy.socket.write(get('/big').repeat(1_600));
  await eventually('its connection is full', async () => server.queued() > 0);
  for (let other = 0; other < 20; other++) {
    const answer = await fetch(`http://127.0.0.1:${server.port}/small`);
    expect(await answer.text()).toBe('here');
  }
  expect(server.queued()).toBeLessThan(2 * BIG.length);
  // Only as many answers as fit into the socket buffers, instead of 1,600.
  expect(begun).toBeLessThan(200);
});

test('A client that sends many requests with bodies is answered in order', async () => {
  const server = await aServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(`<${body.length}>`);
  });
  const client = await aClient(server.port);
  client.read();
  const lengths = [10, 200_000, 0, 70_000, 5];
  for (const length of lengths) {
    client.socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'b'.repeat(length)}`);
  }
  await eventually('the last answer', async () => client.seen.text.includes('<5>'));
  expect([...client.seen.text.matchAll(/<(\d+)>/g)].map(([, length]) => Number(length))).toEqual(lengths);
});

test('A client that sends many requests gets no answer after the answer that closes the connection', async () => {
  let begun = 0;
  const server = await aServer((_request, response) => {
    begun += 1;
    if (begun === 3) response.setHeader('Connection', 'close');
    response.end('here');
  });
  const client = await aClient(server.port);
  client.read();
  client.socket.write(get('/').repeat(100));
  await eventually('the end', async () => client.seen.ended);
  expect(begun).toBe(3);
  expect(client.seen.text.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
});

test('A client that sends many requests is disconnected when too many requests wait on all connections together', async () => {
  const held: ServerResponse[] = [];
  const server = await aServer((_request, response) => void held.push(response), { mostWaiting: 50 });
  const first = await aClient(server.port);
  first.socket.write(get('/').repeat(41));
  await eventually('it was begun', async () => held.length === 1);
  const second = await aClient(server.port);
  second.read();
  second.socket.write(get('/').repeat(41));
  await eventually('it was cut off', async () => second.seen.ended);
  expect(first.seen.ended).toBe(false);
  // The queued requests of the closed connection no longer count.
  const third = await aClient(server.port);
  third.read();
  third.socket.write(get('/').repeat(5));
  await eventually('it was begun', async () => held.length === 3);
  expect(third.seen.ended).toBe(false);
});

const PATIENCE = { unread: { afterMs: 1_000, slowlyMs: 60_000, checkMs: 20 } };

test('A client that does not read its answer is disconnected after a time limit', async () => {
  const server = await aServer((_request, response) => void response.end(Buffer.alloc(20_000_000)), PATIENCE);
  const client = await aClient(server.port);
  client.socket.write(get('/'));
  await eventually('it was begun', async () => server.queued() > 0);
  await eventually('it was cut off', async () => server.sockets.size === 0);
});

test('A client with an unread answer gets all of it when it reads slowly', async () => {
  const server = await aServer((_request, response) => void response.end(Buffer.alloc(20_000_000, 'x')), PATIENCE);
  const client = await aClient(server.port);
  client.socket.write(get('/', 'Connection: close\r\n'));
  let bytes = 0;
  client.socket.on('data', (chunk) => {
    bytes += chunk.length;
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 2);
  });
  await eventually('all was read', async () => bytes > 20_000_000);
});

test('A client that reads its answer for very long is disconnected, although it never stops reading', async () => {
  const patience = { unread: { afterMs: 60_000, slowlyMs: 300, checkMs: 20 } };
  const server = await aServer((_request, response) => void response.end(Buffer.alloc(200_000_000)), patience);
  const client = await aClient(server.port);
  client.socket.write(get('/'));
  client.socket.on('data', () => {
    client.socket.pause();
    setTimeout(() => client.socket.resume(), 20);
  });
  await eventually('it was begun', async () => server.queued() > 0);
  await eventually('it was cut off', async () => server.sockets.size === 0);
});

test('A client with an unread answer that waits for a slow handler is not disconnected', async () => {
  let answer = (): void => {};
  const server = await aServer((_request, response) => {
    response.write(Buffer.alloc(10_000_000, 'x'));
    answer = () => void response.end('the end');
  }, PATIENCE);
  const client = await aClient(server.port);
  client.socket.write(get('/'));
  await eventually('it was begun', async () => server.queued() > 0);
  client.read();
  await eventually('all was read', async () => server.queued() === 0);
  // Longer than the time limit for reading a part of the answer.
  await new Promise((resolve) => setTimeout(resolve, 1.5 * PATIENCE.unread.afterMs));
  answer();
  await eventually('the end', async () => client.seen.text.includes('the end'));
});

test.each(['GET', 'HEAD', 'POST', 'DELETE'])(
  'A client that half-closes its connection after a %s gets its answer, and then the connection ends',
  async (method) => {
    let answer = (): void => {};
    const server = await aServer((_request, response) => {
      answer = () => void response.end('here');
    });
    const client = await aClient(server.port);
    client.read();
    client.socket.end(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
    // Later than the server's first check for a disconnected client.
    await eventually('an interim answer', async () => client.seen.text.includes('HTTP/1.1 100 Continue'));
    answer();
    await eventually('the answer', async () => client.seen.ended);
    expect(client.seen.text).toMatch(/HTTP\/1\.1 200 OK/);
  },
);

test('A client that half-closes its connection after several requests gets all answers', async () => {
  const server = await aServer((request, response) => void setImmediate(() => response.end(`<${request.url}>`)));
  const client = await aClient(server.port);
  client.read();
  client.socket.end(get('/1') + get('/2') + get('/3'));
  await eventually('the end', async () => client.seen.ended);
  expect(client.seen.text).toMatch(/^HTTP\/1\.1 200[\s\S]*<\/1>HTTP\/1\.1 200[\s\S]*<\/2>HTTP\/1\.1 200[\s\S]*<\/3>$/);
});

test('A client that half-closes its connection within a body counts as disconnected', async () => {
  const { outcome, client } = await neverAnswering();
  client.read();
  client.socket.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
  await eventually('it is over', async () => outcome.over);
  expect(client.seen.text).not.toContain('200');
});

test.each(['GET', 'POST'])('A client that is gone has its %s aborted', async (method) => {
  const { server, outcome, client } = await neverAnswering();
  client.socket.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
  await eventually('it arrived', async () => server.sockets.size === 1);
  client.socket.destroy();
  await eventually('it is over', async () => outcome.over);
});
