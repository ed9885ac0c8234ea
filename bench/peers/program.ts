import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Server, STATIC_PATH } from './exchanges.ts';

const START_MS = 60_000;
const STOP_MS = 5_000;
/** Interval between attempts to get a first answer. */
const ATTEMPT_MS = 10;
const KIBIBYTE = 1_024;
/** Characters of a program's output that are kept for an error. */
const PRINTED_CHARACTERS = 2_000;

const run = promisify(execFile);

interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  /** Called after the process has ended. */
  readonly cleanUp: () => Promise<void>;
}

/** Starts a program on a loopback port and waits for its first answer. @throws Error with its last line when it ends before */
export async function startProgram({ name, command, args, port, cleanUp }: Program): Promise<Server> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    await end(child);
    process.off('exit', kill);
    await cleanUp();
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await firstAnswer(child, name, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, rssBytes: () => rssBytesOf(child), [Symbol.asyncDispose]: stop };
}

async function firstAnswer(child: ChildProcess, name: string, url: string): Promise<void> {
  let printed = '';
  let failure = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    printed = `${printed}${chunk}`.slice(-PRINTED_CHARACTERS);
  });
  child.once('error', ({ message }) => {
    failure = message;
  });
  child.once('exit', (code) => {
    failure ||= `it ended with ${code}: ${printed.trim().split('\n').at(-1)}`;
  });
  const latest = performance.now() + START_MS;
  while (performance.now() < latest) {
    if (failure !== '') throw new Error(`${name} does not start: ${failure}`);
    if (await isAnswered(url)) return;
    await sleep(ATTEMPT_MS);
  }
  throw new Error(`${name} gave no answer within ${START_MS} ms.`);
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}${STATIC_PATH}`, { signal: AbortSignal.timeout(START_MS) });
    return status === 200;
  } catch {
    return false;
  }
}

async function rssBytesOf({ pid }: ChildProcess): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * KIBIBYTE;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(hard);
}

interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** @param files contents by relative path, written as JSON */
export async function temporaryFolder(files: Readonly<Record<string, unknown>>): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), JSON.stringify(content));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** `npm ci` empties this folder. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/bench-peers/', import.meta.url));
const INSTALL_MS = 300_000;
const DOWNLOAD_MS = 120_000;

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
