import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { missingTraces } from './catalog-coverage.ts';

export default async function teardown() {
  try {
    await endEstate();
  } finally {
    await globalThis.redisOfEstate?.stop();
  }
  const directory = process.env.CATALOG_COVERAGE;
  if (directory === undefined) return;
  const missing = missingTraces(directory);
  rmSync(directory, { recursive: true });
  if (missing.length > 0) throw new Error(`No test covers these entries of the catalog:\n  ${missing.join('\n  ')}`);
}

async function endEstate() {
  const child = globalThis.estateProcess;
  if (!child || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The estate ended with exit code ${code}.`);
}
