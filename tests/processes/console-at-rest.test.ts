import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Findings } from './estate-counting-reads.ts';

const PROCESS = fileURLToPath(new URL('./estate-counting-reads.ts', import.meta.url));

/** What an estate reads, compresses and bundles. */
async function findingsWith(console: 'on' | 'off'): Promise<Findings> {
  const child = fork(PROCESS, [console], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  try {
    const ended = exit.then(([code]): never => {
      throw new Error(`It ended with exit code ${code} and found nothing.`);
    });
    ended.catch(() => undefined);
    const [findings] = await Promise.race([once(child, 'message'), ended]);
    return findings as Findings;
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

test('An estate with the console reads and compresses at its start what one without it does, and bundles the page at the first request', async () => {
  const [on, off] = await Promise.all([findingsWith('on'), findingsWith('off')]);
  expect(on.atStart).toEqual(off.atStart);
  expect(on.atStart.read.length).toBeGreaterThan(0);
  expect(on.forFirstPage.spawned).toBe(1);
  expect([on.atStart.spawned, off.forFirstPage.spawned]).toEqual([0, 0]);
});
