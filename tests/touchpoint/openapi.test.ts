import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import {
  ALL_CASES,
  aMock,
  aPortal,
  authorized,
  CALCULATE,
  CALCULATE_CASES,
  call,
  FINISH,
  FINISH_CASES,
  fixtureOf,
} from './running-touchpoint.ts';

type Part = { readonly [member: string]: Part } & { readonly $ref?: string };

interface Server {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string }>>;
}

let mock: Listening;
let portal: Listening;
let folder: string;
let document: Part;

beforeAll(async () => {
  mock = await aMock();
  portal = await aPortal({ mockUrl: mock.url });
  folder = await mkdtemp(join(tmpdir(), 'touchpoint-openapi-'));
  document = JSON.parse((await served('/openapi.json')).text) as Part;
});
afterAll(() => rm(folder, { recursive: true }));

const served = (path: string, from: Listening = mock) => call(from.url, { method: 'GET', path });

/** The part at a path of member names, with references followed. */
function at(...steps: readonly string[]): Part {
  let part: Part = document;
  for (const step of steps) {
    const next = part[step];
    if (next === undefined) throw new Error(`${steps.join(' > ')}: there is no ${step}`);
    part = next.$ref === undefined ? next : at(...next.$ref.replace('#/', '').split('/'));
  }
  return part;
}

/** The same schema with all references resolved. */
function inlined(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema && typeof schema.$ref === 'string') return inlined(at(...schema.$ref.replace('#/', '').split('/')));
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inlined(value)]));
}

function validatorOf(schema: Part): z.ZodType {
  return z.fromJSONSchema(inlined(schema) as Parameters<typeof z.fromJSONSchema>[0], { defaultTarget: 'openapi-3.0' });
}

const contentOf = (path: string, status: string) => at('paths', path, 'post', 'responses', status, 'content', 'application/json');

/** Runs the linter with its recommended rules. @returns its exit code and findings */
async function lint(file: string, content: string): Promise<{ code: number; output: string; problems: number }> {
  const path = join(folder, file);
  await writeFile(path, content);
  const linter = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [linter, 'lint', path, '--extends=recommended', '--format=json'],
      { cwd: folder, env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off', CI: 'true' } },
      (error, stdout, stderr) => {
        const report = JSON.parse(stdout.slice(stdout.indexOf('{')) || '{}') as { totals?: { errors: number; warnings: number } };
        const problems = (report.totals?.errors ?? Number.NaN) + (report.totals?.warnings ?? Number.NaN);
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr, problems });
      },
    );
  });
}

describe('the served contract', () => {
  test('is OpenAPI 3.0.3, version 0.2.0', () => {
    expect(document['openapi']).toBe('3.0.3');
    expect(at('info')['version']).toBe('0.2.0');
  });

  test('lists the mock and the portal, that which serves the document first, and its paths exist at both', async () => {
    const facing = await aMock({ portalUrl: portal.url });
    for (const [from, bases] of [
      [facing, ['/', `${portal.url}/mock`]],
      [portal, ['/mock', mock.url]],
    ] as const) {
      const { servers } = JSON.parse((await served('/openapi.json', from)).text) as { servers: Server[] };
      const urls = servers.map(({ url, variables = {} }) =>
        url.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name]?.default ?? ''),
      );
      expect(urls).toEqual(bases);
      for (const url of urls) {
        const { origin, pathname } = new URL(url, from.url);
        const answer = await authorized(origin, { path: `${pathname.replace(/\/$/, '')}/caso02`, body: fixtureOf('02').request });
        expect([url, answer.status]).toEqual([url, 200]);
      }
    }
  });

  test('lists the mock alone where there is no portal', () => {
    expect(document['servers']).toMatchObject([{ url: '/' }]);
  });

  test('is the same on the mock and on the portal but for the server, in JSON and in YAML', async () => {
    for (const from of [mock, portal]) {
      const [json, yaml] = await Promise.all([served('/openapi.json', from), served('/openapi.yaml', from)]);
      expect(json.headers['content-type']).toContain('application/json');
      expect(yaml.headers['content-type']).toContain('application/yaml');
      const { servers } = JSON.parse(json.text);
      expect(JSON.parse(json.text)).toEqual({ ...document, servers });
      expect(parse(yaml.text)).toEqual({ ...document, servers });
    }
  });

  test('has the 23 POST paths and no other', () => {
    expect(Object.keys(at('paths')).toSorted()).toEqual([CALCULATE, FINISH, ...ALL_CASES.map((name) => `/caso${name}`)].toSorted());
    for (const operations of Object.values(at('paths'))) expect(Object.keys(operations)).toEqual(['post']);
  });

  test('lists the selectors of each alias, with the prefilled one as the example', () => {
    const selector = (path: string) => (at('paths', path, 'post')['parameters'] as unknown as Part[])[0];
    expect(selector(CALCULATE)).toMatchObject({ name: 'X-Mock-Case', in: 'header', required: true, example: '02' });
    expect(selector(CALCULATE)?.['schema']?.['enum']).toEqual([...CALCULATE_CASES, 'MOCK_ONLY_INVALID_SELECTOR']);
    expect(selector(FINISH)?.['schema']?.['enum']).toEqual(FINISH_CASES);
    for (const name of ALL_CASES) expect(at('paths', `/caso${name}`, 'post')).not.toHaveProperty('parameters');
  });

  test.each(ALL_CASES)('shows the fixture of case %s as an example, on its alias and on its scenario endpoint', (name) => {
    const { alias, request, response, status } = fixtureOf(name);
    for (const path of [alias === 'calculate' ? CALCULATE : FINISH, `/caso${name}`]) {
      const body = at('paths', path, 'post', 'requestBody', 'content', 'application/json', 'examples', `case-${name}`);
      expect(body['value']).toEqual(request);
      const answer = at('paths', path, 'post', 'responses', String(status), 'content', 'application/json', 'examples', `case-${name}`);
      expect(answer['value']).toEqual(response);
    }
  });

  test('marks exactly the fields of a calculate response that the source document does not show as additions', () => {
    const shown = {
      CalculatedBasket: ['touchpointId', 'basketId', 'engine', 'loyaltyCard', 'loyaltyCardStatus', 'lines', 'total', 'totalSaving'],
      ResponseLine: ['ref', 'barcode', 'qty', 'lineId', 'itemCode', 'description', 'weight'],
    };
    for (const [schema, fields] of Object.entries(shown)) {
      const properties = Object.entries(at('components', 'schemas', schema, 'properties'));
      const notOurs = properties.filter(
        ([, property]) => !String((property as Part)['description']).startsWith('Ours (not in the source document)'),
      );
      expect(notOurs.map(([name]) => name)).toEqual(fields);
    }
  });
});

describe('the linter', () => {
  test.each(['json', 'yaml'])('has no findings for the contract in %s', async (format) => {
    const result = await lint(`contract.${format}`, (await served(`/openapi.${format}`)).text);
    expect(result).toMatchObject({ code: 0, problems: 0 });
  });

  test('finds an example that does not match its schema', async () => {
    const { text } = await served('/openapi.json');
    const broken = text.replace('"status": "REJECTED"', '"status": "MAYBE"');
    expect(broken).not.toBe(text);
    expect((await lint('broken.json', broken)).problems).toBeGreaterThan(0);
  });
});

describe('an answer of the mock', () => {
  test.each(ALL_CASES)('in case %s matches the schema of its status, on its alias and on its scenario endpoint', async (name) => {
    const { alias, request, status } = fixtureOf(name);
    const aliasPath = alias === 'calculate' ? CALCULATE : FINISH;
    for (const path of [aliasPath, `/caso${name}`]) {
      const reply = await authorized(mock.url, { path, headers: { 'X-Mock-Case': name }, body: request });
      const schema = validatorOf(contentOf(path, String(status))['schema'] as Part);
      expect(schema.safeParse(JSON.parse(reply.text))).toMatchObject({ success: true });
      expect(schema.safeParse({ ...JSON.parse(reply.text), surplus: 1 }).success).toBe(false);
    }
  });

  test('matches the schema when it is a refusal', async () => {
    const denied = await call(mock.url, { path: CALCULATE });
    const selector = await authorized(mock.url, { path: CALCULATE });
    const method = await call(mock.url, { method: 'GET', path: CALCULATE });
    for (const [status, reply] of [
      ['403', denied],
      ['400', selector],
      ['400', await authorized(mock.url, { path: CALCULATE, body: '['.repeat(65) })],
      ['default', method],
    ] as const) {
      const schema = validatorOf(contentOf(CALCULATE, status)['schema'] as Part);
      expect(schema.safeParse(JSON.parse(reply.text))).toMatchObject({ success: true });
    }
  });

  test('has an example request that matches the schema of requests', () => {
    for (const name of ALL_CASES) {
      const schema = at('paths', `/caso${name}`, 'post', 'requestBody', 'content', 'application/json')['schema'] as Part;
      expect(validatorOf(schema).safeParse(fixtureOf(name).request)).toMatchObject({ success: true });
      expect(validatorOf(schema).safeParse({ touchpointId: 'SCO-01' }).success).toBe(false);
    }
  });
});
