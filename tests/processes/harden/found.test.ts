import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { FAMILIES } from '../../../rehearsal/harden/run.ts';
import { hardenRunSchema } from '../../../rehearsal/harden/run-schema.ts';
import { isThorough } from '../../support/effort.ts';
import { ADMIN, estate } from '../../support/estate.ts';
import { aFolder } from '../../support/folder.ts';
import { runIn } from '../../support/scratch-project.ts';
import { asItIs, type Consumer, consumers, EXAMPLES } from './playing.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const built = await aFolder();
afterAll(built.remove);

/** Compilers that are missing leave out the consumers of their language. */
const compiled = {
  go: await runIn(`${EXAMPLES}go`, 'bash', ['-ec', 'for file in *.go; do go build -o "$BUILT/" "$file"; done'], { BUILT: built.path }),
  java: await runIn(`${EXAMPLES}java`, 'bash', ['-ec', 'javac -d "$BUILT" *.java'], { BUILT: built.path }),
  python: await runIn(EXAMPLES, 'python3', ['--version']),
  javascript: { code: 0 },
};

function commandOf(file: string): readonly string[] {
  if (file.endsWith('.go')) return [built.at(basename(file, '.go'))];
  return file.endsWith('.java') ? ['java', '-cp', built.path, basename(file, '.java')] : asItIs(file);
}

/** Runs `estate harden` over a consumer. @returns what was found, as `family verdict` */
async function hardened({ file, families = FAMILIES }: Consumer) {
  const args = ['command-line/main.ts', 'harden', '--json', '--only', families.join(','), '--', ...commandOf(file)];
  const env = { ...process.env, ESTATE_URL: estate.gateway, ESTATE_ADMIN_TOKEN: ADMIN };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env, maxBuffer: 64 * 1_048_576 }).catch(
    (error: { code: number; stdout: string; stderr: string }) => {
      // The answer has the reason why a run ended early.
      if (error.stdout === '') throw new Error(`${error.code}: ${error.stderr}`);
      return error;
    },
  );
  const run = hardenRunSchema.parse(JSON.parse(stdout));
  const cells = run.cells.filter(({ finding }) => finding !== undefined);
  return {
    found: [...new Set(cells.map(({ family, verdict }) => `${family} ${verdict}`))],
    paragraphs: run.findings.map(({ paragraph }) => paragraph),
    endedEarly: run.endedEarly,
  };
}

const here = consumers.filter(({ file }) => compiled[file.split('/')[0] as keyof typeof compiled].code === 0);
/** A sound consumer is tried with every misfortune, which takes minutes. The others are tried with those that differ by language. */
const MOST_SOUND = isThorough ? Number.POSITIVE_INFINITY : 2;
const sound = here
  .filter((one) => one.sound)
  .map((one, place): Consumer => (place < MOST_SOUND ? one : { ...one, families: ['lost-answers'] }));
const mistaken = here.filter((one) => !one.sound);

describe('estate harden', () => {
  test.each(mistaken)('finds the mistake of $file: $families, $verdict', async (consumer) => {
    const { found, paragraphs } = await hardened(consumer);
    expect(found).toContain(`${consumer.families?.[0]} ${consumer.verdict}`);
    expect(paragraphs.length).toBeGreaterThan(0);
  });

  test.each(sound)(
    'finds nothing in $file',
    async (consumer) => {
      expect(await hardened(consumer)).toEqual({ found: [], paragraphs: [], endedEarly: undefined });
    },
    1_200_000,
  );
});
