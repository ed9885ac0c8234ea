import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';

const LOGGER = new URL('../../shared/process/logger.ts', import.meta.url).href;

/** @returns the messages that a process wrote which acts with a logger of its own, and then ends by itself or as it says */
async function messagesOf(act: string): Promise<readonly string[]> {
  const script = `const { createLogger } = await import('${LOGGER}'); const log = createLogger('info'); ${act}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [lines] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
}

describe('Standard output of the log', () => {
  test.each([
    ['ends by itself', ''],
    ['ends at once', 'process.exit(0);'],
    ['ends by an uncaught error', "throw new Error('unexpected');"],
  ])('has every line of a process that %s', async (_, end) => {
    expect(await messagesOf(`for (const n of ['one', 'two', 'three']) log.info(n); ${end}`)).toEqual(['one', 'two', 'three']);
  });

  test('has a line soon while the process goes on, though no other follows', async () => {
    const killedLater = "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500);";
    expect(await messagesOf(`log.info('alone'); ${killedLater}`)).toEqual(['alone']);
  });

  test.each(['warn', 'error', 'fatal'])('has a line of the level %s at once, behind those before it', async (level) => {
    expect(await messagesOf(`log.info('before'); log.${level}('trouble'); process.kill(process.pid, 'SIGKILL');`)).toEqual([
      'before',
      'trouble',
    ]);
  });

  test('has many lines in few writes', async () => {
    const counted = "const { default: fs } = await import('node:fs'); let writes = 0; const { writeSync } = fs;";
    const counting = 'fs.writeSync = (...written) => { writes += 1; return writeSync(...written); };';
    const acting = "for (let n = 0; n < 1_000; n += 1) log.info('answered'); process.once('exit', () => log.warn(String(writes)));";
    const messages = await messagesOf(`${counted} ${counting} ${acting}`);
    expect(messages).toHaveLength(1_001);
    expect(Number(messages.at(-1))).toBeLessThan(20);
  });
});
