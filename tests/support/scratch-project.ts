import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program in a folder, on the Node version of this test, and without the settings of the npm that runs it. */
export async function runIn(folder: string, program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^JEST_|^NODE_OPTIONS$/.test(name));
  // npm warns of settings of the machine.
  const quiet = { npm_config_loglevel: 'error' };
  const env = { ...Object.fromEntries(own), ...quiet, ...more, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
  return promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 64 * 1_048_576 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, out: stdout, err: stderr }),
  );
}

async function mustRunIn(folder: string, program: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runIn(folder, program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${out}\n${err}`);
  return out;
}

/** Why packages cannot be installed here; undefined when they can. */
export async function whyNoRegistry(): Promise<string | undefined> {
  const { code, err } = await runIn(tmpdir(), 'npm', ['view', 'typescript', 'version', '--fetch-retries=0', '--fetch-timeout=20000']);
  return code === 0 ? undefined : `the npm registry cannot be reached (${err.split('\n').find((line) => line.includes('error')) ?? code})`;
}

/** The archives of both packages, and projects that install them. */
export async function packages() {
  const root = await mkdtemp(join(tmpdir(), 'packages-'));
  await mustRunIn(PROJECT, process.execPath, 'package/pack.ts', '--pack-destination', root);
  const version = (JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as { version: string }).version;
  const archives = {
    client: join(root, `unified-commerce-estate-${version}.tgz`),
    server: join(root, `unified-commerce-estate-server-${version}.tgz`),
  };
  return {
    archives,
    remove: () => rm(root, { recursive: true, force: true }),
    async project(name: string, install: readonly string[], manifest: Readonly<Record<string, unknown>> = {}) {
      const folder = join(root, name);
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...manifest }));
      const started = performance.now();
      await mustRunIn(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...install);
      const seconds = (performance.now() - started) / 1_000;
      return {
        folder,
        seconds,
        run: (program: string, args: readonly string[], env?: NodeJS.ProcessEnv) => runIn(folder, program, args, env),
        mustRun: (program: string, ...args: readonly string[]) => mustRunIn(folder, program, ...args),
        write: (file: string, text: string) => writeFile(join(folder, file), text),
        async installed(): Promise<{ readonly packages: readonly string[]; readonly files: ReadonlyMap<string, number> }> {
          const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as { packages: object };
          return { packages: Object.keys(lock.packages), files: await filesOf(join(folder, 'node_modules')) };
        },
      };
    },
  };
}

export type Packages = Awaited<ReturnType<typeof packages>>;
export type ScratchProject = Awaited<ReturnType<Packages['project']>>;

async function filesOf(folder: string): Promise<ReadonlyMap<string, number>> {
  const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), (await stat(path)).size] as const)));
}
