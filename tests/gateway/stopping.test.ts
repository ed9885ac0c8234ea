import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { ADMIN, aRig, asIntegration, BEARER, type Rig, raw, send } from './running-gateway.ts';

/** Connections are kept for over a minute: who waited for one would take far longer than this, also on an idle machine. */
const SOON_MS = 8_000;

async function timed(act: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

function open(port: number, bytes = ''): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => resolve(socket)));
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
}

/** A request on a kept connection. */
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

const isRefused = (rig: Rig): Promise<boolean> =>
  rig.call({ path: '/healthz' }).then(
    () => false,
    () => true,
  );

describe('A gateway that drains', () => {
  test('is alive but not ready, continues to serve, and asks clients to reconnect', async () => {
    await using rig = await aRig();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await kept(rig, agent)).toEqual({ status: 200, connection: 'keep-alive' });
    rig.gateway.drain();
    expect(await rig.call({ path: '/readyz' })).toMatchObject({ status: 503, json: { status: 'draining' } });
    expect(await rig.call({ path: '/healthz' })).toMatchObject({ status: 200 });
    expect(await kept(rig, agent)).toEqual({ status: 200, connection: 'close' });
    const refused = await raw(rig.gateway.port, 'GET /orders/o HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(refused).toMatch(/^HTTP\/1.1 401 /);
    expect(refused).toMatch(/^connection: close\r$/im);
    agent.destroy();
  });

  test('also closes the connections of requests that began before', async () => {
    await using rig = await aRig();
    let finish = (): void => {};
    rig.upstream.answer = (_request, response) => {
      finish = () => void response.end('{}');
    };
    const agent = new Agent({ keepAlive: true });
    const running = kept(rig, agent);
    await eventually('the request arrived', async () => rig.upstream.received.length === 1);
    rig.gateway.drain();
    finish();
    expect(await running).toEqual({ status: 200, connection: 'close' });
    agent.destroy();
  });
});

describe('A gateway that closes', () => {
  test('ends soon when it is idle, although clients hold silent or half-sent connections', async () => {
    await using rig = await aRig();
    const agent = new Agent({ keepAlive: true });
    await kept(rig, agent);
    const sockets = [await open(rig.gateway.port), await open(rig.gateway.port, 'GET /orders/o HTTP/1.1\r\nHo')];
    expect(await timed(() => rig.gateway.close())).toBeLessThan(SOON_MS);
    await eventually('the connections ended', async () => sockets.every(({ destroyed }) => destroyed));
    agent.destroy();
  });

  test('accepts no connections afterwards, and may be closed again', async () => {
    await using rig = await aRig();
    await rig.gateway.close();
    await expect(rig.call({ path: '/healthz' })).rejects.toThrow(/ECONNREFUSED/);
    await rig.gateway.close();
  });

  test('finishes running requests', async () => {
    await using rig = await aRig();
    let finish = (): void => {};
    rig.upstream.answer = (_request, response) => {
      finish = () => void response.end('{"late":true}');
    };
    const running = rig.call({ path: '/orders/o', headers: asIntegration });
    await eventually('the request arrived', async () => rig.upstream.received.length === 1);
    let closed = false;
    const closing = rig.gateway.close().then(() => {
      closed = true;
    });
    await eventually('nobody is accepted', () => isRefused(rig));
    expect(closed).toBe(false);
    finish();
    expect(await running).toMatchObject({ status: 200, text: '{"late":true}' });
    await closing;
  });

  test('closes the connection of an answer that began before the close', async () => {
    await using rig = await aRig();
    let finish = (): void => {};
    rig.upstream.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '4' });
      response.write('he');
      finish = () => void response.end('re');
    };
    const socket = await open(rig.gateway.port, `GET /orders/o HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\n\r\n`);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    await eventually('the answer began', async () => received.endsWith('he'));
    const closing = timed(() => rig.gateway.close());
    await eventually('nobody is accepted', () => isRefused(rig));
    // Later than the gateway looks for connections that idle.
    await new Promise((resolve) => setTimeout(resolve, 300));
    finish();
    expect(await closing).toBeLessThan(SOON_MS);
    await eventually('the answer ended', async () => /connection: keep-alive[\s\S]*here$/i.test(received));
  });

  test('still serves the first request of a connection that was opened before', async () => {
    await using rig = await aRig();
    const socket = await open(rig.gateway.port);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const closing = rig.gateway.close();
    await eventually('nobody is accepted', () => isRefused(rig));
    socket.write(`GET /orders/o HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${BEARER}\r\n\r\n`);
    await closing;
    await eventually('the answer came', async () => /^HTTP\/1.1 200 .*^connection: close\r$/ims.test(received));
  });

  test('does not wait for event streams, which have no end', async () => {
    await using rig = await aRig({
      controlPlane: async (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('data: 1\n\n');
      },
    });
    const stream = raw(rig.gateway.port, `GET /_control/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await timed(() => rig.gateway.close())).toBeLessThan(SOON_MS);
    expect(await stream).toContain('data: 1');
  });

  test('breaks no kept-alive connection during a request, even with busy clients', async () => {
    await using rig = await aRig();
    let served = 0;
    const client = async (): Promise<unknown> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const failure = await kept(rig, agent).then(
          () => undefined,
          (error: unknown) => error,
        );
        served++;
        if (failure !== undefined) {
          agent.destroy();
          return failure;
        }
      }
    };
    const clients = Array.from({ length: 5 }, client);
    await eventually('requests were served', async () => served > 50);
    await rig.gateway.close();
    // Each client goes on until nobody accepts its next new connection.
    for (const failure of await Promise.all(clients)) expect(failure).toMatchObject({ reused: false });
  });
});

test('A port in use is reported as EADDRINUSE', async () => {
  await using rig = await aRig();
  await expect(aRig({ port: rig.gateway.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: rig.gateway.port });
  expect(await send(rig.gateway.url, { path: '/orders/o', headers: { authorization: `Bearer ${BEARER}` } })).toMatchObject({ status: 200 });
});
