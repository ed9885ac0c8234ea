import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import express from 'express';
import { type Frame, sendFrames } from '../../control/stream/send-frames.ts';
import { ControlError, type EstateClient } from '../../rehearsal/estate-client.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { anObservedEstate, clientOf } from '../observability/observed-estate.ts';
import { eventually } from '../support/eventually.ts';
import { plain } from '../support/plain-client.ts';
import { sharedIn } from '../support/test-in.ts';

const MOST = 32;
const MOST_OF_REHEARSAL = 16;
/** Longer than the pause between two reads of an open stream. */
const QUIET_MS = 1_000;

/** A separate estate, which counts the reads that only streams make here. */
async function anEstate() {
  const adapter = createMemoryStore();
  let reads = 0;
  const { runs } = adapter.worlds;
  const worlds = {
    ...adapter.worlds,
    runs: () => {
      reads += 1;
      return runs();
    },
  };
  return { ...(await anObservedEstate({}, 'silent', { ...adapter, worlds })), reads: () => reads };
}

/** Opens a stream and reads it until it ends. */
async function opened(client: EstateClient) {
  const stop = new AbortController();
  const frames = client.stream('read-stream', { signal: stop.signal });
  await frames.next();
  const ended = (async () => {
    for await (const _frame of frames);
    return 'ended';
  })().catch((error: Error) => error.name);
  return { ended, leave: () => stop.abort() };
}

/** Waits until the gateway has closed the streams of earlier clients. */
const openedSoon = (client: EstateClient) =>
  eventually('there is room', () => opened(client).catch((error: unknown) => error instanceof ControlError && undefined));

describe('Streams of a gateway', () => {
  const estate = sharedIn(() => anEstate());

  /** Clients of new rehearsals. */
  async function clientsOf(names: readonly string[]): Promise<readonly EstateClient[]> {
    const { client, running } = estate;
    await Promise.all(names.map((name) => client.control('create-rehearsal', { body: { name } })));
    return names.map((name) => clientOf(running.gateway, name));
  }

  const refusal = async (client: EstateClient) => {
    const { status, body, headers } = await plain(client).call('GET', '/_control/stream', undefined, { as: 'admin' });
    return [status, body.code, headers['retry-after'], body.detail];
  };
  const REFUSED = [503, 'too_many_streams', '10'];
  const NEXT = 'Close one, or retry when another has ended.';

  test('A gateway has at most 16 streams of a rehearsal, and leaves room for another one', async () => {
    const [one, other] = (await clientsOf(['greedy', 'modest'])) as [EstateClient, EstateClient];
    const open = await Promise.all(Array.from({ length: MOST_OF_REHEARSAL }, () => opened(one)));
    expect(await refusal(one)).toEqual([
      ...REFUSED,
      `The rehearsal "greedy" has 16 open streams in this gateway, which is its limit. ${NEXT}`,
    ]);
    open.push(await opened(other));
    open[0]?.leave();
    open.push(await openedSoon(one));
    for (const { leave } of open) leave();
    await Promise.all(open.map(({ ended }) => ended));
    await Promise.all([one.close(), other.close()]);
  });

  test('A gateway has at most 32 streams, and refuses one more until a stream has ended', async () => {
    const clients = await clientsOf(['first', 'second']);
    const open = (await Promise.all(clients.map((one) => Promise.all(Array.from({ length: MOST / 2 }, () => openedSoon(one)))))).flat();
    const { client } = estate;
    expect(await refusal(client)).toEqual([...REFUSED, `This gateway has 32 open streams, which is its limit. ${NEXT}`]);
    open[0]?.leave();
    const another = await openedSoon(client);
    for (const { leave } of [...open, another]) leave();
    await Promise.all([...open, another].map(({ ended }) => ended));
    await Promise.all(clients.map((one) => one.close()));
  });

  test('The streams of a gateway read nothing without a client', async () => {
    const { client, reads } = estate;
    const { leave, ended } = await openedSoon(client);
    const before = reads();
    await eventually('it reads', async () => reads() > before + 3);
    leave();
    await ended;
    let [seen, since] = [reads(), performance.now()];
    await eventually('it reads no more', async () => {
      if (reads() !== seen) [seen, since] = [reads(), performance.now()];
      return performance.now() - since > QUIET_MS;
    });
  });

  test('The streams of a gateway end when the gateway stops', async () => {
    const { client, running } = await anEstate();
    const { ended } = await opened(client);
    await running.close();
    expect(await ended).toBe('ended');
    await client.close();
  });
});

/** Sends large frames as fast as a client reads them, and counts them. */
async function endlessly(): Promise<{ url: string; pulled: () => number; isClosed: () => boolean; close: () => Promise<void> }> {
  let [pulled, isClosed] = [0, false];
  async function* frames(): AsyncGenerator<Frame> {
    try {
      for (;;) yield { event: 'hops', id: `h${++pulled}.e0`, data: 'x'.repeat(100_000) };
    } finally {
      isClosed = true;
    }
  }
  const app = express().get('/', (_request, response) => sendFrames(response, frames()));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pulled: () => pulled,
    isClosed: () => isClosed,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

test('A stream sends a slow client only as much as its connection accepts, and later continues without a gap', async () => {
  const { url, pulled, isClosed, close } = await endlessly();
  const response = await new Promise<IncomingMessage>((resolve) => get(url, resolve));
  let [seen, since] = [0, performance.now()];
  await eventually('nothing more is read for it', async () => {
    if (pulled() !== seen) [seen, since] = [pulled(), performance.now()];
    return performance.now() - since > QUIET_MS;
  });
  // Size of the socket buffers at both ends of a local connection.
  expect(seen).toBeLessThan(200);
  const ids: string[] = [];
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    ids.push(...[...text.matchAll(/id: (h\d+)\.e0\n/g)].map(([, id = '']) => id));
    text = text.slice(text.lastIndexOf('\n') + 1);
    if (ids.length > seen + 20) break;
  }
  expect(ids.slice(0, seen + 20)).toEqual(Array.from({ length: seen + 20 }, (_, n) => `h${n + 1}`));
  await eventually('the reading ends with the client', async () => isClosed());
  await close();
});
