import { expect, test } from '@jest/globals';
import { started } from '../processes/started.ts';

const LOGGER = new URL('../../shared/process/logger.ts', import.meta.url).href;

/** The messages that a process writes when it calls a logger. */
async function messagesOf(act: string): Promise<readonly string[]> {
  const script = `const { createLogger } = await import('${LOGGER}'); const log = createLogger('info'); ${act}`;
  await using writing = started(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await writing.ended;
  return writing.output.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test.each([
  ['after its last statement', ''],
  ['with process.exit', 'process.exit(0);'],
  ['with an uncaught error', "throw new Error('unexpected');"],
])('Standard output has every line of a process that ends %s', async (_how, end) =>
  expect(await messagesOf(`for (const n of ['one', 'two', 'three']) log.info(n); ${end}`)).toEqual(['one', 'two', 'three']),
);

test('Standard output has a line soon, though no other follows', async () => {
  const killedLater = "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);";
  expect(await messagesOf(`log.info('alone'); ${killedLater}`)).toEqual(['alone']);
});

test.each(['warn', 'error', 'fatal'])('Standard output has a line of the level %s immediately, behind earlier ones', async (level) => {
  const killed = "process.kill(process.pid, 'SIGKILL');";
  expect(await messagesOf(`log.info('before'); log.${level}('trouble'); ${killed}`)).toEqual(['before', 'trouble']);
});

test('Many lines reach the standard output in few writes', async () => {
  const counted = "const { default: fs } = await import('node:fs'); let writes = 0; const { writeSync } = fs;";
  const counting = 'fs.writeSync = (...written) => { writes += 1; return writeSync(...written); };';
  const acting = "for (let n = 0; n < 1_000; n += 1) log.info('answered'); process.once('exit', () => log.warn(String(writes)));";
  const messages = await messagesOf(`${counted} ${counting} ${acting}`);
  expect(messages).toHaveLength(1_001);
  expect(Number(messages.at(-1))).toBeLessThan(20);
});
