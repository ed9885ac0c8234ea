import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** `npm ci` empties this folder. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/bench-peers/', import.meta.url));
const INSTALL_MS = 300_000;
const DOWNLOAD_MS = 120_000;

const run = promisify(execFile);

/** @returns the folder of an npm package, installed on first use. @throws Error with npm's reason */
export async function cachedPackage(name: string, version: string): Promise<string> {
  const folder = await cached(`${name.replaceAll('/', '+')}-${version}`, async (target) => {
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'];
    await run('npm', ['install', '--prefix', target, ...options, `${name}@${version}`], { timeout: INSTALL_MS }).catch((error: unknown) => {
      throw new Error(`npm cannot install ${name}@${version} (${npmCodeOf(error)}).`);
    });
  });
  return join(folder, 'node_modules', name);
}

/** @returns the path of a file, downloaded on first use. @throws Error when it has another SHA-256 */
export async function cachedFile(url: string, sha256: string): Promise<string> {
  const name = url.slice(url.lastIndexOf('/') + 1);
  const folder = await cached(name, async (target) => {
    const bytes = await download(url).catch((error: Error) => {
      throw new Error(`${url} cannot be downloaded (${(error.cause as Error | undefined)?.message ?? error.message}).`);
    });
    const found = createHash('sha256').update(bytes).digest('hex');
    if (found !== sha256) throw new Error(`${url} has the SHA-256 ${found} instead of ${sha256}.`);
    await writeFile(join(target, name), bytes);
  });
  return join(folder, name);
}

/** The code that npm prints, such as ENOTFOUND. */
function npmCodeOf(error: unknown): string {
  const { stderr = '', killed = false } = error as { readonly stderr?: string; readonly killed?: boolean };
  if (killed) return `not within ${INSTALL_MS / 1_000} s`;
  return /^npm error code (\S+)/m.exec(stderr)?.[1] ?? String(error);
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

/** The folder is renamed when the installation is complete, so an interrupted installation begins again. */
async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (await exists(folder)) return folder;
  const unfinished = join(CACHE, `${name}.${process.pid}`);
  await mkdir(unfinished, { recursive: true });
  try {
    await fill(unfinished);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
