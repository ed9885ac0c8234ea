import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { listen } from '../../shared/process/fair-server.ts';
import { started } from './started.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Answers of a gateway, by path. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/baskets': '{"id":"bsk_1","state":"open"}',
  '/orders': '{"status":409,"code":"insufficient_stock","detail":"Only 1 is left."}',
  '/status': '<html>',
};

async function aGateway() {
  const server = createServer((request, response) => void response.end(ANSWERS[request.url ?? ''] ?? '{}'));
  const url = await listen(server, 0, '127.0.0.1');
  return { url, [Symbol.asyncDispose]: async () => void server.close() };
}

async function outputOf(url: string, line: string) {
  const script = `exec 2>&1\n. docs/tutorials/shell.sh\n${line}\necho "status $?"`;
  await using shell = started('bash', ['-c', script], { cwd: ROOT, env: { ...process.env, ESTATE_URL: url } });
  await shell.ended;
  return shell.output.out.trim().split('\n');
}

const KEEP = 'BASKET=$(api POST /baskets {} | keep id state) && echo "kept $BASKET"';

test('The functions of the tutorials call the gateway that ESTATE_URL names, and keep a member of its answer', async () => {
  await using gateway = await aGateway();
  expect(await outputOf(gateway.url, KEEP)).toEqual(['id     bsk_1', 'state  open', 'kept bsk_1', 'status 0']);
});

test('The functions of the tutorials end a line without an estate with one sentence', async () => {
  const output = await outputOf('http://127.0.0.1:1', KEEP);
  expect(output.slice(1)).toEqual([
    'No estate answers at http://127.0.0.1:1. Start it with npm start, or set ESTATE_URL to its address.',
    'status 1',
  ]);
});

test.each([
  [
    'a refusal',
    'ORDER=$(api POST /orders {} | keep id)',
    ['status  409', 'code    insufficient_stock', 'detail  Only 1 is left.', 'The request was refused, so nothing is kept.', 'status 1'],
  ],
  [
    'an answer without the member',
    'ORDER=$(api GET /baskets | keep orderId)',
    ['The answer has no member orderId, so nothing is kept.', 'status 1'],
  ],
  [
    'a page in place of JSON',
    'api GET /status | show state',
    ['The answer is not JSON: "<html>\\n". Check that ESTATE_URL is the address of the gateway.', 'status 1'],
  ],
])('The functions of the tutorials keep nothing of %s', async (_what, line, expected) => {
  await using gateway = await aGateway();
  expect(await outputOf(gateway.url, line)).toEqual(expected);
});

test('The functions of the tutorials send no request whose path lacks the id of a failed command', async () => {
  await using gateway = await aGateway();
  const [sentence, status] = await outputOf(gateway.url, 'api POST /orders/$ORDER/confirm | show state');
  expect(sentence).toMatch(
    /^The path of POST .*\/orders\/\/confirm lacks an id, because an earlier command failed\. Repeat that command first\.$/,
  );
  expect(status).toBe('status 1');
});
