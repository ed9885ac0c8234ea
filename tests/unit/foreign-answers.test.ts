import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { ask, requireReady } from '../../command-line/connection/ask.ts';
import { createEstateClient } from '../../rehearsal/estate-client.ts';
import { eventsOf } from '../../rehearsal/event-stream.ts';
import { BodyTooLong, bytesWithin } from '../../shared/process/bounded-body.ts';
import { serving } from '../conform/serving.ts';

async function* chunks(count: number, text: string): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent++) yield Buffer.from(text);
}

const at = (address: string) => createEstateClient({ gateway: address, bearer: 'b', apiKey: 'k', admin: 'a' });

test('A body is read up to its limit, and not beyond it', async () => {
  expect((await bytesWithin(chunks(4, 'abc'), 12)).toString()).toBe('abcabcabcabc');
  let read = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1;
      yield Buffer.from('abc');
    }
  }
  await expect(bytesWithin(endless(), 12)).rejects.toThrow(BodyTooLong);
  expect(read).toBe(5);
});

test.each([
  ['one line', 'data: abc'],
  ['many lines', 'data: a\n'],
])('A frame of %s is read up to its limit, and not beyond it', async (_of, text) => {
  const events = eventsOf(chunks(1_000, text), 1_000);
  await expect(events.next()).rejects.toThrow('its answer has more than 1000 bytes');
});

test.each([
  ['an answer', (client: ReturnType<typeof at>) => client.call('GET', '/orders')],
  ['the refusal of a stream', (client: ReturnType<typeof at>) => client.stream('read-stream').next()],
])('A client of an estate ends at %s that never ends', async (_what, asking) => {
  await using server = await serving((_request, response) => {
    response.writeHead(404);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(4 * 1_048_576)));
    };
    response.on('drain', more);
    more();
  });
  await using client = at(server.url);
  const message = `The server at ${server.url} is not an estate of this version: its answer has more than 268435456 bytes.`;
  await expect(asking(client)).rejects.toMatchObject({ name: 'ConnectionError', message });
});

test.each([
  ['broken JSON', 'event: events\nid: h1.e1\ndata: {broken\n\n'],
  ['other members', 'event: events\nid: h1.e1\ndata: [{"x":1}]\n\n'],
  ['a position that no header can carry', 'event: events\nid: h1.e1\u0007\ndata: []\n\n'],
])('A client of an estate refuses a frame with %s', async (_with, frame) => {
  await using server = await serving((_request, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(frame);
  });
  await using client = at(server.url);
  const message = `The server at ${server.url} is not an estate of this version: its stream has an unexpected frame.`;
  await expect(client.stream('read-stream').next()).rejects.toMatchObject({ name: 'ConnectionError', message });
});

/** Answers every request with a status and a body. */
const answeringWith = (status: number, body: unknown) =>
  serving((_request, response) => void response.writeHead(status).end(JSON.stringify(body)));

const UNREADABLE = { toString: 1 };

test.each([
  ['a code and a detail of other types', { code: 5, detail: UNREADABLE, errors: 'x', scope: [], rehearsal: {} }],
  ['null', null],
  ['the title of no document', { info: { title: UNREADABLE } }],
])('A command takes a refusal with %s as the answer of another server', async (_with, body) => {
  await using server = await answeringWith(422, body);
  const failure = {
    name: 'CommandFailure',
    exitCode: 3,
    message: expect.stringContaining(`${server.url} is not an estate of this version`),
  };
  await expect(ask('settle', { against: server.url, rehearsal: 'default', admin: 'a' })).rejects.toMatchObject(failure);
});

test('A command prints the first hundred mistakes of a refusal, and counts the others', async () => {
  const errors = Array(250).fill({ pointer: '/name', detail: 'wrong' });
  await using server = await answeringWith(422, { code: 'validation_failed', detail: 'x', errors });
  const failed = await ask('settle', { against: server.url, rehearsal: 'default', admin: 'a' }).catch((error: Error) => error);
  const lines = (failed as Error).message.split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([101, '/name: wrong', 'There are 150 more mistakes.']);
});

test('A command prints the detail of a refusal whose mistakes name no place', async () => {
  await using server = await answeringWith(422, { code: 'validation_failed', detail: 'It is wrong.', errors: [null, 1, { pointer: 5 }] });
  const asked = ask('settle', { against: server.url, rehearsal: 'default', admin: 'a' });
  await expect(asked).rejects.toMatchObject({ name: 'CommandFailure', exitCode: 2, message: 'It is wrong.' });
});

test('A command prints the start of a long detail of a refusal', async () => {
  await using server = await answeringWith(409, { code: 'x', detail: 'x'.repeat(1_000_000) });
  const failed = await ask('settle', { against: server.url, rehearsal: 'default', admin: 'a' }).catch((error: Error) => error);
  expect((failed as Error).message).toHaveLength(20_001);
});

test('A command names what an estate waits for, as far as it is text', async () => {
  await using server = await answeringWith(503, { status: 'not ready', waitingFor: ['redis', UNREADABLE, null] });
  await expect(requireReady(server.url)).rejects.toThrow(`The estate at ${server.url} is not ready. It waits for redis.`);
});
