import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { aFolder } from '../support/folder.ts';
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

const mock = await aMock();
const portal = await aPortal({ mockUrl: mock.url });
const folder = await aFolder();
afterAll(folder.remove);

const served = (path: string, from = mock) => call(from.url, { method: 'GET', path });
const document = JSON.parse((await served('/openapi.json')).text) as Part;

/** The part itself, or the target of its reference. */
const followed = (part: Part | undefined): Part | undefined =>
  part?.$ref === undefined ? part : at(...part.$ref.replace('#/', '').split('/'));

/** The part at a path of member names, with references followed. */
function at(...steps: readonly string[]): Part {
  let part: Part = document;
  for (const step of steps) {
    const next = followed(part[step]);
    if (next === undefined) throw new Error(`${steps.join(' > ')}: there is no ${step}`);
    part = next;
  }
  return part;
}

/** The same schema with all references resolved. */
function inlined(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return inlined(followed(schema as Part));
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inlined(value)]));
}

const fits = (schema: Part | undefined, value: unknown): boolean =>
  z.fromJSONSchema(inlined(schema) as Parameters<typeof z.fromJSONSchema>[0], { defaultTarget: 'openapi-3.0' }).safeParse(value).success;

const JSON_CONTENT = ['content', 'application/json'];
const answerOf = (path: string, status: number | string) => at('paths', path, 'post', 'responses', String(status), ...JSON_CONTENT);
const requestOf = (path: string) => at('paths', path, 'post', 'requestBody', ...JSON_CONTENT);
/** The paths of a case: its alias and its scenario endpoint. */
const pathsOf = (name: string) => [fixtureOf(name).alias === 'calculate' ? CALCULATE : FINISH, `/caso${name}`];

/** Runs the linter with its recommended rules. @returns its number of findings */
async function lint(file: string, content: string): Promise<number> {
  const path = await folder.write(file, content);
  const linter = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off', CI: 'true' };
  const stdout = await new Promise<string>((resolve) => {
    const options = [linter, 'lint', path, '--extends=recommended', '--format=json'];
    execFile(process.execPath, options, { cwd: folder.path, env }, (_error, text) => resolve(text));
  });
  const { totals } = JSON.parse(stdout.slice(stdout.indexOf('{')) || '{}') as { totals?: { errors: number; warnings: number } };
  return totals ? totals.errors + totals.warnings : Number.NaN;
}

test('The document is OpenAPI 3.0.3, version 0.2.0, with the 23 POST paths', () => {
  expect([document['openapi'], at('info')['version']]).toEqual(['3.0.3', '0.2.0']);
  expect(Object.keys(at('paths')).toSorted()).toEqual([CALCULATE, FINISH, ...ALL_CASES.map((name) => `/caso${name}`)].toSorted());
  for (const operations of Object.values(at('paths'))) expect(Object.keys(operations)).toEqual(['post']);
});

test('The document lists the mock and the portal, the serving one first, and its paths exist at both', async () => {
  expect(document['servers']).toMatchObject([{ url: mock.url }]);
  const facing = await aMock({ portalUrl: portal.url });
  for (const [from, bases] of [
    [facing, [facing.url, `${portal.url}/mock`]],
    [portal, [`${portal.url}/mock`, mock.url]],
  ] as const) {
    const { servers } = JSON.parse((await served('/openapi.json', from)).text) as { servers: Server[] };
    const filled = ({ url, variables = {} }: Server) => url.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name]?.default ?? '');
    expect(servers.map(filled)).toEqual(bases);
    for (const base of bases) {
      const { origin, pathname } = new URL(base, from.url);
      const answer = await authorized(origin, { path: `${pathname.replace(/\/$/, '')}/caso02`, body: fixtureOf('02').request });
      expect([base, answer.status]).toEqual([base, 200]);
    }
  }
});

test('The document is the same on the mock and on the portal except for the server, in JSON and in YAML', async () => {
  for (const from of [mock, portal]) {
    const [json, yaml] = await Promise.all([served('/openapi.json', from), served('/openapi.yaml', from)]);
    expect(json.headers['content-type']).toContain('application/json');
    expect(yaml.headers['content-type']).toContain('application/yaml');
    const { servers } = JSON.parse(json.text);
    for (const one of [JSON.parse(json.text), parse(yaml.text)]) expect(one).toEqual({ ...document, servers });
  }
});

test('The document lists the selectors of each alias, with the prefilled one as the example', () => {
  const selector = (path: string) => (at('paths', path, 'post')['parameters'] as unknown as Part[])[0];
  expect(selector(CALCULATE)).toMatchObject({ name: 'X-Mock-Case', in: 'header', required: true, example: '02' });
  expect(selector(CALCULATE)?.['schema']?.['enum']).toEqual([...CALCULATE_CASES, 'MOCK_ONLY_INVALID_SELECTOR']);
  expect(selector(FINISH)?.['schema']?.['enum']).toEqual(FINISH_CASES);
  for (const name of ALL_CASES) expect(at('paths', `/caso${name}`, 'post')).not.toHaveProperty('parameters');
});

test('The document marks exactly the fields of a calculate response that the source document does not show as additions', () => {
  const shown = {
    CalculatedBasket: ['touchpointId', 'basketId', 'engine', 'loyaltyCard', 'loyaltyCardStatus', 'lines', 'total', 'totalSaving'],
    ResponseLine: ['ref', 'barcode', 'qty', 'lineId', 'itemCode', 'description', 'weight'],
  };
  for (const [schema, fields] of Object.entries(shown)) {
    const properties = Object.entries(at('components', 'schemas', schema, 'properties'));
    const isOurs = (part: unknown) => String((part as Part)['description']).startsWith('Ours (not in the source document)');
    expect(properties.filter(([, part]) => !isOurs(part)).map(([name]) => name)).toEqual(fields);
  }
});

test.each(ALL_CASES)('The document shows fixture %s as an example, and its schemas describe request and answer', async (name) => {
  const { request, response, status } = fixtureOf(name);
  for (const path of pathsOf(name)) {
    const [asked, answered] = [requestOf(path), answerOf(path, status)];
    const examples = [asked, answered].map((part) => followed(part['examples']?.[`case-${name}`])?.['value']);
    expect(examples).toEqual([request, response]);
    expect([fits(asked['schema'], request), fits(asked['schema'], { touchpointId: 'SCO-01' })]).toEqual([true, false]);
    const reply = await authorized(mock.url, { path, headers: { 'X-Mock-Case': name }, body: request });
    const answer = JSON.parse(reply.text);
    expect([fits(answered['schema'], answer), fits(answered['schema'], { ...answer, surplus: 1 })]).toEqual([true, false]);
  }
});

test('The document describes the refusals of each path, and the answer to an unknown selector', async () => {
  for (const path of Object.keys(at('paths'))) {
    const replies = [
      await authorized(mock.url, { path, headers: { Authorization: 'Bearer another-key' } }),
      await authorized(mock.url, { path, body: { touchpointId: 'SCO-99', basketId: 'b' } }),
      await authorized(mock.url, { path, headers: { 'X-Mock-Case': 'MOCK_ONLY_INVALID_SELECTOR' } }),
    ];
    for (const { status, text } of replies) expect([path, fits(answerOf(path, status)['schema'], JSON.parse(text))]).toEqual([path, true]);
  }
});

test.each(['json', 'yaml'])('The linter has no findings for the contract in %s', async (format) =>
  expect(await lint(`contract.${format}`, (await served(`/openapi.${format}`)).text)).toBe(0),
);
