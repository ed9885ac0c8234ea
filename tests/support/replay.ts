import { execFile } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { runScenario } from '../../rehearsal/runner.ts';
import type { OwnScenario } from '../../rehearsal/scenario.ts';
import { ADMIN, estate } from './estate.ts';
import { aFolder } from './folder.ts';
import { notedReport } from './noted-report.ts';

const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));

/** A text of TypeScript as Biome formats it. */
export async function formatted(text: string): Promise<string> {
  const running = promisify(execFile)(BIOME, ['format', '--stdin-file-path=story.ts']);
  running.child.stdin?.end(text);
  return (await running).stdout;
}

/** Runs a recorded scenario from its text. @returns `passed`, or the reason of its failure */
export async function replayed(text: string): Promise<string | undefined> {
  await using folder = await aFolder();
  const { recorded } = (await import(pathToFileURL(await folder.write('story.mts', text)).href)) as { readonly recorded: OwnScenario };
  const { noted, report } = notedReport();
  const credentials = { bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
  await runScenario({ flows: [], ...recorded }, { gateway: estate.gateway, ...credentials, report });
  return noted.at(-1);
}
