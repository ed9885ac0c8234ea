import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { estate } from '../support/estate.ts';
import { runIn } from '../support/scratch-project.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const inShell = (commands: string, url: string) =>
  runIn(ROOT, 'bash', ['-c', `. docs/tutorials/shell.sh\n${commands}`], { ESTATE_URL: url });

const KEPT = 'BASKET=$(api POST /baskets \'{"channel":"web"}\' | keep id state)\necho "basket: $BASKET"';

test('The shell of the tutorials calls the estate at ESTATE_URL', async () => {
  const { out, err } = await inShell(KEPT, estate.gateway);
  expect([out, err]).toEqual([expect.stringMatching(/^basket: bsk_\w+\n$/), expect.stringMatching(/^id +bsk_\w+\nstate +open\n$/)]);
});

test('The shell of the tutorials ends a line with a sentence when nothing answers', async () => {
  for (const commands of [KEPT, 'api GET /products/mug-blue | show id', 'in_rehearsal mine']) {
    const { out, err } = await inShell(commands, 'http://127.0.0.1:9');
    expect(err.trim().split('\n').at(-1)).toBe(
      'Nothing answers at http://127.0.0.1:9. Start the estate, or set ESTATE_URL to the address of its gateway.',
    );
    expect(`${out}${err}`).not.toMatch(/null|undefined|Error/);
  }
});

test('The shell of the tutorials ends a line with a sentence when the answer lacks the member, or is not of an estate', async () => {
  const absent = await inShell('api GET /products/mug-blue | keep orderId', estate.gateway);
  expect([absent.out, absent.err]).toEqual(['', 'The answer has no orderId.\n']);
  await using page = await serving((_request, response) => void response.end('<h1>Hello</h1>'));
  const other = await inShell('api GET /products/mug-blue | show id', page.url);
  expect([other.out, other.err]).toEqual(['', 'The answer is not JSON. Set ESTATE_URL to the address of the gateway of an estate.\n']);
});

test('The shell of the tutorials prints a refusal in place of the members', async () => {
  const { out, err } = await inShell('ORDER=$(api GET /orders/ord_never | keep id)\necho "order: $ORDER"', estate.gateway);
  expect([out, err]).toEqual(['order: \n', expect.stringMatching(/^status +404\ncode +not_found\ndetail +\S.+\n$/)]);
});
