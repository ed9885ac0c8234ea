import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { estate } from '../support/estate.ts';
import { type Packages, packages, type ScratchProject, whyNoRegistry } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { agreement } from './agreement.ts';
import { COMMONJS, ES_MODULE, JEST, TEN_LINES, VITEST } from './programs.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const OWN_COMPILER = join(PROJECT, 'node_modules/typescript/bin/tsc');
/** Limits of the declarations that a compiler reads for the main entry point. */
const MOST_DECLARATIONS = { files: 9, bytes: 150_000 };

const SILENT = { code: 0, out: '', err: '' };
const unreachable = await whyNoRegistry();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (unreachable !== undefined) skipTests('the installed packages', unreachable, 'the npm registry');
else describeThePackages();

function describeThePackages(): void {
  let packed: Packages;
  let client: ScratchProject;
  const withEstate = { ESTATE_URL: estate.gateway };

  beforeAll(async () => {
    packed = await packages();
    client = await packed.project('client', [packed.archives.client]);
  });
  afterAll(() => packed.remove());

  describe('The client', () => {
    test('The client brings no other package', async () => {
      const { packages: names, files } = await client.installed();
      const bytes = [...files.values()].reduce((sum, size) => sum + size, 0);
      print(`client: ${names.length} package, ${client.seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB installed`);
      expect(names).toEqual(['node_modules/unified-commerce-estate']);
    });

    test.each([
      ['an ES module', 'order.mjs', ES_MODULE],
      ['CommonJS', 'order.cjs', COMMONJS],
    ])('The client plays an order from %s', async (_kind, file, program) => {
      await client.write(file, program);
      expect(await client.run(process.execPath, [file], withEstate)).toEqual({ code: 0, out: 'open\n', err: '' });
    });

    test.each(['', '/testcontainers'])(
      'The package names the Node that it needs on an older one: unified-commerce-estate%s',
      async (path) => {
        const older = `Object.defineProperty(process.versions, 'node', { value: '20.19.1' })`;
        const { code, err } = await client.run(process.execPath, ['-e', `${older}; require('unified-commerce-estate${path}')`]);
        expect([code, err]).toEqual([
          1,
          expect.stringContaining(
            'The estate needs Node 22.19 or newer; this is 20.19.1. Run the program that loads unified-commerce-estate',
          ),
        ]);
        expect(err).not.toContain('SyntaxError');
      },
    );

    test('The client exports its manifest, and no internal file', async () => {
      const program = `
        console.log(require('unified-commerce-estate/package.json').name);
        try { require('unified-commerce-estate/client.js') } catch ({ code }) { console.log(code) }`;
      expect(await client.mustRun(process.execPath, '-e', program)).toBe('unified-commerce-estate\nERR_PACKAGE_PATH_NOT_EXPORTED\n');
    });

    test('The client names the nearest API or operation for a wrong name, and missing options', async () => {
      const program = `
        const { createEstateClient, DEMO_CREDENTIALS, EstateRehearsal } = require('unified-commerce-estate');
        const say = ({ message }) => console.log(message);
        (async () => {
          const rehearsal = await EstateRehearsal.create({ gateway: process.env.ESTATE_URL, credentials: DEMO_CREDENTIALS });
          await rehearsal.api('create-baskt-api').catch(say);
          await rehearsal.control('list-fault').catch(say);
          await rehearsal.delete();
          try { createEstateClient({ gateway: 'http://127.0.0.1:8080', bearer: 'a' }) } catch (error) { say(error) }
        })();`;
      expect((await client.run(process.execPath, ['-e', program], withEstate)).out.split('\n')).toEqual([
        'There is no API create-baskt-api; did you mean create-basket-api?',
        'There is no operation list-fault; did you mean list-faults?',
        expect.stringMatching(/^A client needs apiKey, admin,/),
        '',
      ]);
    });

    test('The client has few and small declarations', async () => {
      const { files } = await client.installed();
      const declarations = [...files].filter(([path]) => path.includes('/types/rehearsal/') && path.endsWith('.d.ts'));
      const bytes = declarations.reduce((sum, [, size]) => sum + size, 0);
      print(`declarations of the client: ${declarations.length} files, ${(bytes / 1e3).toFixed(0)} kB`);
      expect(declarations.length).toBeGreaterThan(2);
      expect(declarations.length).toBeLessThanOrEqual(MOST_DECLARATIONS.files);
      expect(bytes).toBeLessThanOrEqual(MOST_DECLARATIONS.bytes);
    });

    test('The client declares the calls as the catalog does', async () => {
      await client.write('agreement.mts', agreement(PROJECT));
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--resolveJsonModule'];
      const target = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable,esnext.collection', '--module', 'nodenext'];
      const roots = ['--typeRoots', join(PROJECT, 'node_modules/@types'), '--types', 'node'];
      expect(await client.run(process.execPath, [OWN_COMPILER, ...options, ...target, ...roots, 'agreement.mts'])).toEqual(SILENT);
    });

    test('The command of the client works on a running estate', async () => {
      const { code, out } = await client.run('npx', ['estate', 'rehearse', 'digital-order'], withEstate);
      expect([code, out]).toEqual([0, expect.stringContaining('1 of 1 passed')]);
      const unknown = await client.run('npx', ['unified-commerce-estate', 'dance']);
      expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('dance') });
    });

    test.each([['start'], ['rehearse', 'digital-order']])('The command %s explains how to install the estate itself', async (...words) => {
      expect(await client.run('npx', ['unified-commerce-estate', ...words])).toEqual({
        code: 2,
        out: '',
        err: `The estate itself is not installed; install its archive: npm install --save-dev ${packed.archives.server}. Or name a running estate with --against, such as a container of the image that docker build makes in a checkout.\n`,
      });
    });
  });

  describe('Test runners', () => {
    test.each(['29.7.0', '30.5.2'])('Jest %s plays an order, in CommonJS', async (version) => {
      const project = await packed.project(`jest-${version}`, [packed.archives.client, `jest@${version}`]);
      await project.write('order.test.js', JEST);
      const { code, err } = await project.run('npx', ['jest'], withEstate);
      expect([code, err]).toEqual([0, expect.stringContaining('3 passed')]);
    });

    test('Vitest plays an order', async () => {
      const project = await packed.project('vitest', [packed.archives.client, 'vitest']);
      await project.write('order.test.ts', VITEST);
      const { code, out, err } = await project.run('npx', ['vitest', 'run', '--testTimeout=60000'], withEstate);
      expect([code, out + err]).toEqual([0, expect.stringContaining('3 passed')]);
    });
  });

  describe('Compilers', () => {
    let project: ScratchProject;
    const resolutions = {
      node16: ['--module', 'node16'],
      nodenext: ['--module', 'nodenext'],
      bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
    };
    const compilers: Readonly<Record<string, () => string>> = {
      '5.2': () => join(project.folder, 'node_modules/typescript-5-2/bin/tsc'),
      '5.9': () => join(project.folder, 'node_modules/typescript-5-9/bin/tsc'),
      'of this project': () => OWN_COMPILER,
    };
    const compile = (compiler: string, resolution: keyof typeof resolutions, ...files: readonly string[]) => {
      const checks = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
      const path = compilers[compiler]?.() ?? '';
      const target = ['--target', 'es2022', ...resolutions[resolution], '--types', 'node'];
      return project.run(process.execPath, [path, ...checks, ...target, ...files]);
    };

    beforeAll(async () => {
      const compilersToInstall = ['typescript-5-2@npm:typescript@5.2.2', 'typescript-5-9@npm:typescript@5.9.3'];
      project = await packed.project('typescript', [packed.archives.client, ...compilersToInstall, '@types/node@22']);
      await project.write('order.mts', TEN_LINES);
      await project.write('order.cts', TEN_LINES);
      await project.write('wrong.mts', TEN_LINES.replace("'web'", "'carrier pigeon'"));
      await project.write('dry-read.mts', TEN_LINES.replace('confirm-order-api', 'get-order-api'));
    });

    const cases = Object.keys(compilers).flatMap((compiler) =>
      (['node16', 'nodenext', 'bundler'] as const).map((resolution) => [compiler, resolution] as const),
    );
    test.each(cases)('TypeScript %s checks ten lines and all declarations, with %s', async (compiler, resolution) => {
      expect(await compile(compiler, resolution, 'order.mts', ...(resolution === 'bundler' ? [] : ['order.cts']))).toEqual(SILENT);
    });

    test.each(Object.keys(compilers))('TypeScript %s refuses a wrong value', async (compiler) => {
      const { code, out } = await compile(compiler, 'nodenext', 'wrong.mts');
      expect([code, out]).toEqual([expect.any(Number), expect.stringContaining('"carrier pigeon"')]);
      expect(code).not.toBe(0);
    });

    test.each(Object.keys(compilers))('TypeScript %s refuses a dry run of a read', async (compiler) => {
      const { code, out } = await compile(compiler, 'nodenext', 'dry-read.mts');
      expect([code === 0, out]).toEqual([false, expect.stringMatching(/^dry-read\.mts\(\d+,\d+\): error TS2322/)]);
    });
  });

  describe('The estate itself', () => {
    test('The command starts the estate when both packages are installed, and runs a scenario', async () => {
      const project = await packed.project('server', [packed.archives.client, packed.archives.server]);
      const { packages: names } = await project.installed();
      print(`client and estate: ${names.length} packages, ${project.seconds.toFixed(1)} s`);
      const { code, out, err } = await project.run('npx', ['unified-commerce-estate', 'rehearse', 'digital-order'], { ESTATE_URL: '' });
      expect([code, out + err]).toEqual([0, expect.stringContaining('1 of 1 passed')]);
      expect((await project.run('npx', ['estate', 'start'], { GATEWAY_PORT: 'abc' })).err).toMatch(/^GATEWAY_PORT=abc cannot be used/);
    });

    test('The archive of the estate has no file that cannot run from it', async () => {
      const listed = await client.mustRun('tar', 'tzf', packed.archives.server);
      const files = listed.trim().split('\n');
      expect(files).toEqual(
        expect.arrayContaining(['ui/built/console.html.gz', 'fixtures/products.json'].map((file) => `package/${file}`)),
      );
      expect(files.filter((path) => /(?<!\.d)\.ts$|^package\/(tests|docs|k8s|bench)\//.test(path))).toEqual([]);
    });
  });
}
