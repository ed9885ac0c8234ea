import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { DrawingName } from '../../console/drawings.ts';
import type { HardenRun } from '../../rehearsal/harden/run.ts';
import type { ListedHop } from '../../ui/data/hop.ts';
import type { ReportedRun } from '../../ui/report/recorded.ts';
import { CommandFailure, EXIT } from '../failure.ts';

interface Drawings {
  readonly report: { reportHtml(run: ReportedRun, styles: string): string };
  readonly 'harden-report': { hardenHtml(run: HardenRun, styles: string): string };
  readonly 'journal-diagram': { journalSvg(hops: readonly ListedHop[], styles: string): string };
}

/** The bundles of an image or a package. */
const BUILT = new URL('../../ui/built/', import.meta.url);
const BUNDLER = new URL('../../console/drawings.ts', import.meta.url);

/**
 * Loads a module of `ui/report` and its sheet. They are TSX, which a clone bundles when it needs them.
 * @throws CommandFailure with the remedy when it cannot
 */
export async function loadDrawing<Name extends keyof Drawings>(name: Name): Promise<Drawings[Name] & { readonly styles: string }> {
  const { script, styles } = existsSync(new URL(`${name}.mjs`, BUILT)) ? await readBuilt(name) : await bundledOnce(name);
  return { ...((await import(script)) as Drawings[Name]), styles };
}

/**
 * Loads the script and the sheet of a page, as texts.
 * @throws CommandFailure with the remedy when it cannot
 */
export const loadPage = async (name: 'story'): Promise<Loadable> =>
  existsSync(new URL(`${name}.mjs`, BUILT))
    ? { script: await readFile(new URL(`${name}.mjs`, BUILT), 'utf8'), styles: await readFile(new URL(`${name}.css`, BUILT), 'utf8') }
    : bundle(name);

/** A script, as its address or its text, and the text of a sheet. */
interface Loadable {
  readonly script: string;
  readonly styles: string;
}

const readBuilt = async (name: string): Promise<Loadable> => ({
  script: new URL(`${name}.mjs`, BUILT).href,
  styles: await readFile(new URL(`${name}.css`, BUILT), 'utf8'),
});

const bundles = new Map<keyof Drawings, Promise<Loadable>>();

function bundledOnce(name: keyof Drawings): Promise<Loadable> {
  const made = bundles.get(name) ?? bundleNow(name);
  bundles.set(name, made);
  return made;
}

async function bundleNow(name: keyof Drawings): Promise<Loadable> {
  const { script, styles } = await bundle(name);
  return { script: `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`, styles };
}

async function bundle(name: DrawingName): Promise<Loadable> {
  const { bundleDrawing } = (await import(BUNDLER.href)) as typeof import('../../console/drawings.ts');
  return bundleDrawing(name).catch((error: Error) => {
    throw new CommandFailure(error.message, EXIT.misuse);
  });
}
