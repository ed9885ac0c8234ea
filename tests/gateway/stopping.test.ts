import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { eventually, succeeds } from '../support/eventually.ts';
import { ADMIN, AUTHORIZED, aRig, asIntegration, head, type Rig } from './running-gateway.ts';

/** Connections are kept for a minute: a stop that takes longer than this has waited for one. */
const SOON_MS = 8_000;
const GET = head('GET /orders/o', AUTHORIZED);

async function timed(act: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

function open(port: number, bytes = ''): Promise<{ socket: Socket; received: () => string }> {
  let received = '';
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => resolve({ socket, received: () => received })));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => (received += chunk));
  });
}

function kept(rig: Rig, agent: Agent): Promise<{ status: number; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port: rig.gateway.port, host: '127.0.0.1', path: '/orders/o', headers: asIntegration, agent });
    outgoing.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
    });
    outgoing.on('error', (error) => reject(Object.assign(error, { reused: outgoing.reusedSocket })));
    outgoing.end();
  });
}

const refusing = (rig: Rig) => eventually('no connection is accepted', async () => !(await succeeds(rig.call({ path: '/healthz' }))));

test('A draining gateway is alive but not ready, continues to serve, and requests clients to reconnect', async () => {
  await using rig = await aRig();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await kept(rig, agent)).toEqual({ status: 200, connection: 'keep-alive' });
  rig.gateway.drain();
  expect(await rig.call({ path: '/readyz' })).toMatchObject({ status: 503, json: { status: 'draining' } });
  expect(await rig.call({ path: '/healthz' })).toMatchObject({ status: 200 });
  expect(await kept(rig, agent)).toEqual({ status: 200, connection: 'close' });
  expect(await rig.raw(head('GET /orders/o'))).toMatch(/^HTTP\/1.1 401 .*^connection: close\r$/ims);
  agent.destroy();
});

test('An idle gateway closes soon, although clients have silent or half-sent connections', async () => {
  await using rig = await aRig();
  const agent = new Agent({ keepAlive: true });
  await kept(rig, agent);
  const clients = [await open(rig.gateway.port), await open(rig.gateway.port, 'GET /orders/o HTTP/1.1\r\nHo')];
  expect(await timed(() => rig.gateway.close())).toBeLessThan(SOON_MS);
  await eventually('the connections ended', async () => clients.every(({ socket }) => socket.destroyed));
  agent.destroy();
});

test('A closed gateway accepts no connections, and may be closed again', async () => {
  await using rig = await aRig();
  await rig.gateway.close();
  await expect(rig.call({ path: '/healthz' })).rejects.toThrow(/ECONNREFUSED/);
  await rig.gateway.close();
});

test('A closing gateway closes the connection of an answer that began earlier', async () => {
  await using rig = await aRig();
  let finish = (): void => {};
  rig.upstream.answer = (_request, response) => {
    response.writeHead(200, { 'Content-Length': '4' }).write('he');
    finish = () => void response.end('re');
  };
  const { received } = await open(rig.gateway.port, GET);
  await eventually('the answer began', async () => received().endsWith('he'));
  const closing = timed(() => rig.gateway.close());
  await refusing(rig);
  // Later than the gateway scans for idle connections.
  await new Promise((resolve) => setTimeout(resolve, 300));
  finish();
  expect(await closing).toBeLessThan(SOON_MS);
  await eventually('the answer ended', async () => /connection: keep-alive[\s\S]*here$/i.test(received()));
});

test('A closing gateway serves the first request of an earlier connection', async () => {
  await using rig = await aRig();
  const { socket, received } = await open(rig.gateway.port);
  const closing = rig.gateway.close();
  await refusing(rig);
  socket.write(GET);
  await closing;
  await eventually('the answer came', async () => /^HTTP\/1.1 200 .*^connection: close\r$/ims.test(received()));
});

test('A closing gateway does not wait for event streams, which have no end', async () => {
  await using rig = await aRig({
    controlPlane: async (_request, response) => void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n'),
  });
  const { received } = await open(rig.gateway.port, head('GET /_control/events/stream', `Authorization: Bearer ${ADMIN}`));
  await eventually('the stream began', async () => received().includes('data: 1'));
  expect(await timed(() => rig.gateway.close())).toBeLessThan(SOON_MS);
});

test('A closing gateway breaks no kept connection during a request, even with busy clients', async () => {
  await using rig = await aRig();
  let served = 0;
  const client = async (): Promise<unknown> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (;;) {
        await kept(rig, agent);
        served++;
      }
    } catch (failure) {
      agent.destroy();
      return failure;
    }
  };
  const clients = Array.from({ length: 5 }, client);
  await eventually('requests were served', async () => served > 50);
  await rig.gateway.close();
  // Each client stops when its next new connection is refused.
  for (const failure of await Promise.all(clients)) expect(failure).toMatchObject({ reused: false });
});

test('A port in use is reported as EADDRINUSE', async () => {
  await using rig = await aRig();
  await expect(aRig({ port: rig.gateway.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: rig.gateway.port });
  expect(await rig.call({ path: '/orders/o', headers: asIntegration })).toMatchObject({ status: 200 });
});
