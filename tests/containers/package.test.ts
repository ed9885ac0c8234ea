import { cp, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Packages, packages, type ScratchProject } from '../support/scratch-project.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const INSTALLED = fileURLToPath(new URL('./installed/', import.meta.url));
const OWN_COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

let packed: Packages;
let project: ScratchProject;

beforeAll(async () => {
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const versions: Readonly<Record<string, string>> = { ...manifest.dependencies, ...manifest.devDependencies };
  const others = ['testcontainers', 'kafkajs', '@types/node'].map((name) => `${name}@${versions[name]}`);
  packed = await packages();
  project = await packed.project('containers', [packed.archives.client, ...others], { type: 'module' });
  await cp(INSTALLED, project.folder, { recursive: true });
});

afterAll(() => packed.remove());

describe('A project with the installed package and Testcontainers', () => {
  test('A project can import and require the containers', async () => {
    const program = `
      const { EstateContainer, ApiRefusal } = await import('unified-commerce-estate/testcontainers');
      const { createRequire } = await import('node:module');
      const required = createRequire(import.meta.url)('unified-commerce-estate/testcontainers');
      const client = await import('unified-commerce-estate');
      console.log(required.EstateContainer === EstateContainer, client.ApiRefusal === ApiRefusal);`;
    expect(await project.run(process.execPath, ['--input-type=module', '-e', program])).toEqual({ code: 0, out: 'true true\n', err: '' });
  });

  test('A project compiles in strict mode with the types', async () => {
    const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--skipLibCheck'];
    const target = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable', '--module', 'nodenext', '--types', 'node'];
    const files = ['order.test.ts', 'events-on-kafka.test.ts'];
    expect(await project.run(process.execPath, [OWN_COMPILER, ...options, ...target, ...files])).toMatchObject({ code: 0, out: '' });
  });

  if (whyNoDocker !== undefined) skipWithoutDocker('tests of a project with the installed package');
  else {
    test.each(['order.test.ts', 'events-on-kafka.test.ts'])('The test %s of docs/how-to/testcontainers.md passes', async (file) => {
      const image = { ESTATE_IMAGE: await estateImage() };
      const { code, out } = await project.run(process.execPath, ['--test', '--test-reporter=tap', file], image);
      expect([code, out]).toEqual([0, expect.stringContaining('# fail 0')]);
      expect(out).not.toMatch(/^# pass 0$/m);
    });
  }
});
