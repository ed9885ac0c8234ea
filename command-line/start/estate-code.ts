import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import { GIVEN_BYTES, readTextWithin } from '../../shared/process/bounded-file.ts';
import { CommandFailure, EXIT } from '../failure.ts';

type EstateCode = typeof import('../../estate/for-command-line.ts');

/** The package with the code of the estate. The command line needs it only to start an estate. */
const PACKAGE = 'unified-commerce-estate-server';
const IN_A_CLONE = new URL('../../estate/', import.meta.url);

const ARCHIVE = `${PACKAGE}-${manifest.version}.tgz`;

/** How to install the code of the estate. It is not published in a registry. */
export const remedy = (): string => {
  const archive = archiveBesideOurs();
  const install = archive === undefined ? `<folder>/${ARCHIVE}, which npm run package writes in a checkout of the estate` : archive;
  return `install its archive: npm install --save-dev ${install}. Or name a running estate with --against, such as a container of the image that docker build makes in a checkout.`;
};

/** The archive next to the one that this command was installed from. npm's lock file has its path. */
function archiveBesideOurs(): string | undefined {
  const [project, name = ''] = fileURLToPath(import.meta.url).split(/[/\\]node_modules[/\\]/);
  const [own = ''] = name.split(/[/\\]/);
  try {
    const lock = readTextWithin(join(project ?? '', 'node_modules/.package-lock.json'), { most: GIVEN_BYTES });
    const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, { resolved?: string }>> };
    const ours = packages[`node_modules/${own}`]?.resolved ?? '';
    if (!ours.startsWith('file:')) return undefined;
    const archive = join(dirname(resolve(project ?? '', ours.slice('file:'.length))), ARCHIVE);
    return existsSync(archive) ? archive : undefined;
  } catch {
    // Another package manager, or no project: the path of the archive is unknown.
    return undefined;
  }
}

/** @throws CommandFailure with the remedy when the code of the estate is not installed */
export async function loadEstateCode(): Promise<EstateCode> {
  return (await import(urlOf('for-command-line'))) as EstateCode;
}

/** The file that starts an estate in a separate process. @throws CommandFailure with the remedy when it is not installed */
export const estateMain = (): string => fileURLToPath(urlOf('main'));

export function hasEstateCode(): boolean {
  try {
    return urlOf('main') !== '';
  } catch (error) {
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}

function urlOf(file: 'for-command-line' | 'main'): string {
  if (existsSync(IN_A_CLONE)) return new URL(`${file}.ts`, IN_A_CLONE).href;
  try {
    return import.meta.resolve(`${PACKAGE}/${file}`);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandFailure(`The estate itself is not installed; ${remedy()}`, EXIT.misuse);
  }
}
