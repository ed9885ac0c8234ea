import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { estate, newRehearsal } from '../support/estate.ts';
import { runIn } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { type Family, families } from './generators.ts';

/** Clients are generated from the documents that a running estate serves, compiled, and call it. */
const PROGRAMS = fileURLToPath(new URL('./generated-clients/', import.meta.url));
const DOCUMENTS = { estate: `${estate.gateway}/openapi.json`, touchpoint: `${estate.portal}/openapi.json` };

const root = await mkdtemp(join(tmpdir(), 'generated-clients-'));
await cp(PROGRAMS, root, { recursive: true });
for (const [name, address] of Object.entries(DOCUMENTS)) await writeFile(join(root, `${name}.json`), await (await fetch(address)).text());
await mkdir(join(root, 'openapi-generator'), { recursive: true });

const ready: Family[] = [];
/** Generators run one after another, because a later one uses the output of an earlier one. */
for (const family of families) {
  const { code, out, err } = await runIn(join(root, family.folder), 'bash', ['-ec', family.prepare]);
  if (code === 0) ready.push(family);
  else skipTests(`the clients of ${family.name}`, `their tools are missing: ${`${out}${err}`.trim().split('\n').at(-1)}`, 'their tools');
}
afterAll(() => rm(root, { recursive: true, force: true }));
// Hooks run only with tests.
if (ready.length === 0) await rm(root, { recursive: true, force: true });

for (const { name, folder, steps, calls } of ready)
  describe(`Clients: ${name}`, () => {
    const run = (script: string, env: NodeJS.ProcessEnv = {}) => runIn(join(root, folder), 'bash', ['-ec', script], env);

    test.each(steps)('$what', async ({ script, mayWarn }) => {
      const { code, out, err } = await run(script);
      const warnings = `${out}${err}`
        .split('\n')
        .filter((line) => /\b(?:warn(?:ing)?|error)\b/i.test(line) && mayWarn?.test(line) !== true);
      expect([code, warnings, code === 0 ? '' : out + err]).toEqual([0, [], '']);
    });

    if (calls === undefined) return;
    test('The clients call the estate', async () => {
      await using rehearsal = await newRehearsal();
      const answer = await run(calls.script, { ESTATE_URL: estate.gateway, ESTATE_BEARER_TOKEN: rehearsal.credentials.bearer });
      expect(answer).toEqual({ code: 0, out: calls.prints, err: '' });
    });
  });
