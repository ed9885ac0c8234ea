import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const INSTALLED = fileURLToPath(new URL('./installed/', import.meta.url));
const manifest = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;
const versions: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies };
const INSTALL_MS = 300_000;
const RUN_MS = 600_000;

let folder = '';
let files: readonly string[] = [];

/** Runs a program in a project that has installed the package, on the Node version of this test. */
async function run(program: string, ...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`, NODE_OPTIONS: '' };
  const done = promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 64 * 1_048_576 });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, out: stdout, err: stderr }),
  );
}

const succeeds = async (program: string, ...args: readonly string[]): Promise<string> => {
  const { code, out, err } = await run(program, ...args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${out}\n${err}`);
  return out;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installed-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // The output of npm includes the output of its life-cycle scripts.
  const packed = await succeeds('npm', 'pack', '--json', '--pack-destination', folder, PROJECT);
  const [archive] = JSON.parse(packed.slice(packed.search(/^[[{]/m))) as [{ filename: string; files: { path: string }[] }];
  files = archive.files.map(({ path }) => path);
  const others = ['testcontainers', 'kafkajs'].map((name) => `${name}@${versions[name]}`);
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await succeeds('npm', 'install', ...quietly, `./${archive.filename}`, ...others);
  await cp(INSTALLED, folder, { recursive: true });
}, INSTALL_MS);

afterAll(async () => rm(folder, { recursive: true, force: true }));

describe('The archive', () => {
  test('contains JavaScript, types and the data files of the estate, and no file that cannot run from it', () => {
    expect(files).toEqual(
      expect.arrayContaining(['dist/testcontainers/public.js', 'dist/testcontainers/public.d.ts', 'dist/command-line/main.js']),
    );
    expect(files).toEqual(
      expect.arrayContaining(['dist/design/tokens.css', 'dist/fixtures/products.json', 'dist/services/touchpoint-mock/portal/index.html']),
    );
    expect(files.filter((path) => /(?<!\.d)\.ts$|^(tests|docs|k8s|bench)\//.test(path))).toEqual([]);
  });

  test('leaves no files behind in the project', async () => {
    await expect(readFile(join(PROJECT, 'dist/package.json'))).rejects.toThrow('ENOENT');
  });
});

describe('A project with the installed package', () => {
  test('can import the client and the containers, and no internal module', async () => {
    const program = `
      const client = await import('unified-commerce-estate');
      const containers = await import('unified-commerce-estate/testcontainers');
      const inside = await import('unified-commerce-estate/dist/estate/main.js').catch(({ code }) => code);
      console.log(JSON.stringify([typeof client.createEstateClient, typeof containers.EstateContainer, typeof containers.EstateEnsemble, inside]));`;
    expect(JSON.parse(await succeeds(process.execPath, '--input-type=module', '-e', program))).toEqual([
      'function',
      'function',
      'function',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ]);
  });

  test('compiles in strict mode with its types', async () => {
    const tsc = join(PROJECT, 'node_modules/typescript/bin/tsc');
    const options = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true };
    const compilerOptions = {
      ...options,
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      noEmit: true,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    expect(await run(process.execPath, tsc, '-p', folder)).toMatchObject({ code: 0, out: '' });

    await writeFile(
      join(folder, 'wrong.ts'),
      `import { EstateContainer } from 'unified-commerce-estate/testcontainers';
const rehearsal = await (await new EstateContainer('image').start()).createRehearsal();
await rehearsal.api('create-basket-api', { body: { channel: 'carrier pigeon' } });
`,
    );
    const { code, out } = await run(process.execPath, tsc, '-p', folder);
    await rm(join(folder, 'wrong.ts'));
    expect([code, out]).toEqual([expect.any(Number), expect.stringMatching(/wrong\.ts\(3,.*carrier pigeon/s)]);
    expect(code).not.toBe(0);
  });

  test(
    'runs scenarios with the estate command, which starts its own estate',
    async () => {
      expect(await succeeds('npx', 'estate', 'rehearse', 'digital-order')).toContain('1 of 1 passed');
      expect(await run('npx', 'estate', 'dance')).toMatchObject({ code: 2, err: expect.stringContaining('dance') });
    },
    RUN_MS,
  );

  if (whyNoDocker !== undefined) skipWithoutDocker('tests of a project with the installed package');
  else {
    test.each(['order.test.ts', 'events-on-kafka.test.ts'])(
      'runs %s as it is in docs/how-to/testcontainers-node.md',
      async (file) => {
        process.env['ESTATE_IMAGE'] = await estateImage();
        const out = await succeeds(process.execPath, '--test', '--test-reporter=tap', file);
        expect(out).toContain('# fail 0');
        expect(out).not.toMatch(/^# pass 0$/m);
      },
      RUN_MS,
    );
  }
});
