import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTouchpointFixtures } from '../services/touchpoint-mock/contract/fixtures.ts';
import { touchpointOpenApi } from '../services/touchpoint-mock/documents/documents.ts';
import { applicationNames } from '../shared/catalog/applications.ts';
import { estateAsyncApi } from '../shared/contract/asyncapi/document.ts';
import { applicationContract } from '../shared/contract/openapi/application-contract.ts';
import { estateOpenApi } from '../shared/contract/openapi/document.ts';

/** Lints the served OpenAPI and AsyncAPI documents with the rules of redocly.yaml. */
const root = fileURLToPath(new URL('..', import.meta.url));
const linter = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
try {
  const documents = {
    'estate.json': estateOpenApi('0.0.0'),
    'events.json': estateAsyncApi('0.0.0', { kafka: ['localhost:9092'] }),
    'events-in-memory.json': estateAsyncApi('0.0.0', 'memory'),
    ...Object.fromEntries(applicationNames.map((name) => [`${name}.json`, applicationContract(name, '0.0.0')])),
    'touchpoint.json': touchpointOpenApi(await loadTouchpointFixtures(), { from: 'portal', other: 'http://127.0.0.1:15115' }),
  };
  const files = Object.entries(documents).map(([name, document]) => ({
    path: join(folder, name),
    text: JSON.stringify(document, null, 2),
  }));
  await Promise.all(files.map(({ path, text }) => writeFile(path, text)));
  const lint = spawn(process.execPath, [linter, 'lint', ...files.map(({ path }) => path), '--max-problems=50'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' },
  });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    lint.once('error', reject);
    lint.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
} finally {
  await rm(folder, { recursive: true });
}
