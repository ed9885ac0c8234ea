import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { JsonText, sendJson } from '../../shared/http/json-answer.ts';
import { createSlices } from '../../shared/process/slices.ts';

const staying = new AbortController().signal;

/** Answers each request with a body, and counts the turns that this leaves to other work when each slice ends after one step. */
async function answering(body: unknown) {
  let turns = 0;
  const rest = async (): Promise<void> => {
    turns += 1;
  };
  const inSlices = createSlices({ sliceMs: 0, rest });
  const server = createServer((asked, response) => {
    void sendJson(asked, response, { status: 200, body }, { inSlices, gone: staying });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    ask: async (headers: Readonly<Record<string, string>> = {}) => {
      turns = 0;
      const { statusCode: status, body: sent, headers: answered } = await request(url, { headers });
      return { status, text: await sent.text(), etag: String(answered['etag']), turns };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const long = { items: Array.from({ length: 100 }, (_, n) => ({ n, text: 'ä'.repeat(20_000) })), next: 100 };

test('A long answer of the control plane leaves a turn to other work after each piece of its text', async () => {
  await using server = await answering(long);
  const { text, turns } = await server.ask();
  expect(text === JSON.stringify(long)).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(20);
});

test('A text that was made in pieces has the ETag of the same answer, which is digested in several turns', async () => {
  await using made = await answering(long);
  await using packed = await answering(new JsonText(Buffer.from(JSON.stringify(long))));
  const [one, other] = [await made.ask(), await packed.ask()];
  expect([other.etag, other.text.length]).toEqual([one.etag, one.text.length]);
  expect(other.turns).toBeGreaterThanOrEqual(20);
});

test('A short answer of the control plane does not wait for long computations', async () => {
  await using server = await answering({ items: [{ id: 'ord_1' }] });
  expect(await server.ask()).toMatchObject({ status: 200, text: '{"items":[{"id":"ord_1"}]}', turns: 0 });
});

test('A client that has the version of a long answer gets 304', async () => {
  await using server = await answering(long);
  const { etag } = await server.ask();
  const { status, text } = await server.ask({ 'if-none-match': etag });
  expect([status, text.length]).toEqual([304, 0]);
});
