import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { eventually } from '../support/eventually.ts';
import { LOADED, loading, startEstate } from './started.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
/** Nothing listens there. A process loads its code before it waits for its infrastructure. */
const NOWHERE = '127.0.0.1:1';
const SECRET = 'a-secret-of-this-test-with-enough-characters';
const INFRASTRUCTURE = { REDIS_URL: `redis://${NOWHERE}`, KAFKA_BROKERS: NOWHERE, ESTATE_TOKEN: SECRET, CREDENTIAL_PEPPER: SECRET };
const NO_REDIS = /No Redis can be reached/;
const NO_KAFKA = /no broker can be reached/;
const BANNER = /Stop with Ctrl-C/;

/** The modules that a process loads until its output has these words: paths in the project, and packages with the path inside. */
async function loadedBy(environment: Readonly<Record<string, string>>, ...words: readonly RegExp[]): Promise<readonly string[]> {
  await using process = startEstate({ ...environment, NODE_OPTIONS: loading('^file:') });
  await eventually('the process waits or is ready', async () => words.every((one) => one.test(process.output.out)));
  const lines = process.output.err.split('\n').filter((line) => line.startsWith(LOADED));
  return lines.map((line) =>
    fileURLToPath(line.slice(LOADED.length))
      .replace(/^.*\/node_modules\//, 'package ')
      .replace(PROJECT, ''),
  );
}

const namesOfPackages = (loaded: readonly string[]): readonly string[] =>
  [...new Set(loaded.flatMap((path) => /^package ((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))].sort();

/** Code in `shared` for other processes, and for what is not configured. */
const NOT_FOR_AN_APPLICATION = [
  ...['shared/contract/asyncapi/', 'shared/contract/openapi/', 'shared/contract/suites/', 'shared/contract/tables/'],
  ...['shared/elsewhere/', 'shared/events/memory-bus.ts', 'shared/observability/tracing.ts', 'shared/store/memory/'],
];

/** Packages that need a reason in each process: no PDF, barcodes, Express, YAML or OpenTelemetry. */
const PACKAGES_OF_AN_APPLICATION = [
  ...['@ioredis/commands', '@pinojs/redact', 'atomic-sleep', 'close-with-grace', 'cluster-key-slot', 'debug', 'denque', 'has-flag'],
  ...[
    'ioredis',
    'kafkajs',
    'lru-cache',
    'ms',
    'on-exit-leak-free',
    'pino',
    'pino-std-serializers',
    'prom-client',
    'quick-format-unescaped',
  ],
  ...['redis-errors', 'safe-stable-stringify', 'sonic-boom', 'standard-as-callback', 'supports-color', 'thread-stream', 'tinyduration'],
  ...['ulid', 'undici', 'zod'],
];

test.each<Application>(['oms', 'carrier-platform'])(
  'The process of %s loads its own application and common code only',
  async (application) => {
    const loaded = await loadedBy({ ...INFRASTRUCTURE, SERVICE: application, PORT: '0' }, NO_REDIS, NO_KAFKA);
    const foreign = /^(?!package |estate\/|shared\/)/;
    expect(loaded.filter((path) => foreign.test(path) && !path.startsWith(`services/${application}/`)).sort()).toEqual([
      'fixtures/checked-file.ts',
      'fixtures/public-secrets.ts',
      'package.json',
    ]);
    expect(loaded.filter((path) => NOT_FOR_AN_APPLICATION.some((place) => path.startsWith(place)))).toEqual([]);
    expect(namesOfPackages(loaded)).toEqual(PACKAGES_OF_AN_APPLICATION);
  },
);

/** Loaded with their first use: labels, traces, documents, pages, coding agents, CSV; and whole libraries where a part suffices. */
const LATER =
  /^package (pdfkit|bwip-js|fontkit|@opentelemetry|yaml|esbuild|@modelcontextprotocol|csv-parse)\/|^package (undici\/index|undici\/lib\/web|prom-client\/index)|^shared\/contract\/(asyncapi|openapi)\/|^ui\//;

test('The process of the gateway loads no document, no label and no store or bus that is not configured', async () => {
  const loaded = await loadedBy({ ...INFRASTRUCTURE, SERVICE: 'gateway', GATEWAY_PORT: '0', ALLOW_DEMO_CREDENTIALS: 'true' }, NO_REDIS);
  expect(loaded.length).toBeGreaterThan(300);
  expect(
    loaded.filter((path) => LATER.test(path) || /^package kafkajs\/|^shared\/(events\/(kafka|memory-bus)|store\/memory)/.test(path)),
  ).toEqual([]);
});

test('The process of the touchpoint mock loads no code of the applications, of stores and of buses', async () => {
  const loaded = await loadedBy({ SERVICE: 'touchpoint-mock', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0', LOG_LEVEL: 'warn' }, BANNER);
  expect(loaded.length).toBeGreaterThan(50);
  const foreign = /^(control|gateway|shared\/(runtime|work|store\/(memory|redis)|events|transport)|services\/(?!touchpoint-mock))\//;
  expect(loaded.filter((path) => foreign.test(path) || LATER.test(path))).toEqual([]);
});

test('The whole estate in memory loads no client of Redis and Kafka, no document and no label', async () => {
  const loaded = await loadedBy({}, BANNER);
  expect(loaded.length).toBeGreaterThan(300);
  expect(loaded.filter((path) => LATER.test(path) || /^package (ioredis|kafkajs)\//.test(path))).toEqual([]);
});
