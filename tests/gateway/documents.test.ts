import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames, applications } from '../../shared/catalog/applications.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { calls } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { problems } from '../../shared/catalog/problems.ts';
import { consumedBy } from '../../shared/catalog/subscriptions.ts';
import { estateAsyncApi } from '../../shared/contract/asyncapi/document.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';
import { ask, BROWSER } from './asking.ts';

const { version } = JSON.parse(textOf('package.json')) as { version: string };
const { host } = new URL(estate.gateway);
const documents = { openapi: estateOpenApi(version, estate.gateway), asyncapi: estateAsyncApi(version, 'memory', host) };

const FILES = ['/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml', '/llms.txt'];

test.each(Object.entries(documents))('The %s document has the same content in JSON and YAML', async (name, described) => {
  const document = JSON.parse(JSON.stringify(described));
  const json = await ask(`/${name}.json`);
  expect([json.headers['content-type'], JSON.parse(json.body.toString())]).toEqual([expect.stringContaining('application/json'), document]);
  const yaml = await ask(`/${name}.yaml`);
  expect([yaml.headers['content-type'], parse(yaml.body.toString())]).toEqual([expect.stringContaining('application/yaml'), document]);
});

describe('The address in a document', () => {
  const serverOf = async (headers: Readonly<Record<string, string>>, path = '/openapi.json') => {
    const answer = await ask(path, headers);
    return { ...answer, url: parse(answer.body.toString()).servers[0].url as string };
  };

  test.each([
    ['estate:8080', 'http://estate:8080'],
    ['LOCALHOST:1', 'http://localhost:1'],
    ['shop.localhost', 'http://shop.localhost'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['true', 'http://true'],
  ])(
    'The first server of the OpenAPI document that is asked for at %s is %s, in JSON and in YAML, as in the AsyncAPI document',
    async (asked, url) => {
      for (const path of ['/openapi.json', '/openapi.yaml']) expect((await serverOf({ host: asked }, path)).url).toBe(url);
      for (const path of ['/asyncapi.json', '/asyncapi.yaml']) {
        const { servers } = parse((await ask(path, { host: asked })).body.toString());
        expect(servers.gateway.variables.gateway.default).toBe(url.slice('http://'.length));
      }
    },
  );

  test('The first server of the OpenAPI document has the scheme that a proxy in front of the gateway names', async () => {
    const at = async (scheme: string) => (await serverOf({ host: 'estate', 'x-forwarded-proto': scheme })).url;
    expect([await at('https'), await at('http'), await at('javascript'), await at('https, http')]).toEqual([
      'https://estate',
      'http://estate',
      'http://estate',
      'https://estate',
    ]);
  });

  test.each(['a"b', '<script>', 'a\\', "a'", 'a{b}', 'a:99999999', 'x'.repeat(300)])(
    'The first server of the OpenAPI document is the address of the connection when the header Host is %j',
    async (asked) => expect((await serverOf({ host: asked })).url).toBe(estate.gateway),
  );

  test('An OpenAPI document has one tag per address, also after it was asked for at many others', async () => {
    const first = await serverOf({ host: 'one' });
    const other = await serverOf({ host: 'two' });
    expect(other.headers['etag']).not.toBe(first.headers['etag']);
    for (let name = 0; name < 20; name++) await ask('/openapi.json', { host: `name-${name}` }, 'HEAD');
    const again = await ask('/openapi.json', { host: 'one', 'if-none-match': String(first.headers['etag']) });
    expect([again.status, again.headers['etag']]).toEqual([304, first.headers['etag']]);
    expect((await ask('/openapi.json', { host: 'two', 'if-none-match': String(first.headers['etag']) })).status).toBe(200);
  });
});

test('The index of the gateway is a page under a strict policy', async () => {
  const { headers } = await ask('/');
  expect(headers).toMatchObject({
    'content-type': expect.stringContaining('text/html'),
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-/),
  });
  expect(headers).not.toHaveProperty('x-powered-by');
});

test.each([
  ['/', /href="([^"]+)"/g],
  ['/llms.txt', /\]\(([^)]+)\)/g],
])('All links of the index %s work', async (index, link) => {
  const { body } = await ask(index);
  const links = [...body.toString().matchAll(link)].map(([, at = '']) => at);
  expect(links.length).toBeGreaterThan(2);
  for (const at of links) expect([at, (await ask(at)).status]).toEqual([at, 200]);
});

describe.each(['/', ...FILES])('The document %s', (path) => {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };

  test(`The document ${path} accepts only GET and HEAD`, async () => {
    const { status, headers } = await ask(path, {}, 'POST');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  test.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'gzip, deflate'],
    ['gzip', 'br;q=0, gzip;q=0.5'],
    ['identity', 'identity'],
    ['identity', 'zstd'],
  ] as const)(
    `The document ${path} comes as %s to a client that takes %s, the same in GET and HEAD, with a separate tag`,
    async (coding, accepted) => {
      const plain = await ask(path);
      expect(plain.headers).not.toHaveProperty('content-encoding');
      const headers = { 'accept-encoding': accepted };
      const answer = await ask(path, headers);
      expect(answer.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
      expect(answer.headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'content-length': String(answer.body.length) });
      expect(decode[coding](answer.body).equals(plain.body)).toBe(true);
      expect(answer.headers['etag'] === plain.headers['etag']).toBe(coding === 'identity');
      const head = await ask(path, headers, 'HEAD');
      expect(head.body).toHaveLength(0);
      for (const name of ['etag', 'content-length', 'content-type', 'content-encoding', 'vary'])
        expect([name, head.headers[name]]).toEqual([name, answer.headers[name]]);
    },
  );

  test(`The document ${path} is not sent again to a client with a current copy`, async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const etag = String((await ask(path, headers)).headers['etag']);
    // The standard makes fetch send no-cache with each If-None-Match.
    for (const tags of [{ 'if-none-match': etag, 'cache-control': 'no-cache' }, etag, `"other", ${etag}`, `W/${etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(path, { ...headers, ...(typeof tags === 'string' ? { 'if-none-match': tags } : tags) }, method);
        expect(again).toMatchObject({ status: 304, body: Buffer.of(), headers: { etag, vary: 'Origin, Accept-Encoding' } });
      }
    expect((await ask(path, { 'if-none-match': etag })).status).toBe(200);
    expect((await ask(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
  });
});

describe('The contract of an application', () => {
  test.each(applicationNames)(
    'The contract of %s lists what it answers, whom it may call back, and the events that it receives',
    async (name) => {
      const { status, body } = await ask(`/openapi/${name}.json`);
      const contract = JSON.parse(body.toString());
      expect([status, contract.info.title]).toEqual([200, `${applications[name].title}: contract of a real system`]);
      const operations = Object.values<object>(contract.paths).flatMap((item) => Object.values(item));
      const all: readonly ApiDefinition[] = [...Object.values(apis), ...Object.values(internalCalls)];
      const answered = all.filter(({ application }) => application === name).map(({ id }) => id);
      const received = consumedBy(name).map((event) => event.name);
      expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
        [...answered, ...(received.length > 0 ? ['receive-event'] : [])].toSorted(),
      );
      for (const id of calls[name]) expect(contract.info.description).toContain(`\`${id}\``);
      const events = operations.find(({ operationId }) => operationId === 'receive-event');
      for (const event of received) expect(JSON.stringify(events)).toContain(`com.unified-commerce.${event}"`);
    },
  );

  test('The contract of the Payment Hub requires the calls that other applications make', async () => {
    const { body } = await ask('/openapi/payment-hub.json');
    const operations = Object.values<object>(JSON.parse(body.toString()).paths).flatMap((item) => Object.values(item));
    const required = operations.filter((operation) => operation['x-obligation'] === 'must').map(({ operationId }) => operationId);
    expect(required.toSorted()).toEqual([
      'authorize-payment-api',
      'capture-payment-api',
      'list-payments',
      'refund-payment-api',
      'reverse-payment',
    ]);
    const authorize = operations.find(({ operationId }) => operationId === 'authorize-payment-api');
    // Only applications send this member.
    expect(authorize.requestBody.content['application/json'].schema.properties).toHaveProperty('payable');
    expect(authorize.parameters).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
  });

  test('An unknown application is refused with the list of applications', async () => {
    const { status, body } = await ask('/openapi/warehouse.json');
    expect([status, JSON.parse(body.toString()).detail]).toEqual([404, expect.stringContaining('payment-hub, fms, wms')]);
    expect((await ask('/openapi/oms.json', {}, 'POST')).headers['allow']).toBe('GET, HEAD');
  });
});

describe('The type of a problem', () => {
  const read = async (path: string, accept = '*/*') => {
    const { body, ...answer } = await ask(path, { accept });
    return { ...answer, json: JSON.parse(body.toString()) };
  };

  test('The type of a problem is an address with its cause and its remedy', async () => {
    await using rehearsal = await newRehearsal();
    const { body } = await rehearsal.call('get-order-api', { params: { id: 'ord_never' } });
    const { type, code, status, title } = body;
    const document = await read(type);
    expect(document).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8', vary: 'Origin, Accept' } });
    const cause = expect.stringContaining('no object with this id');
    const remedy = expect.stringContaining('Check the id');
    expect(document.json).toEqual({ type, code, status, title, retryable: false, cause, remedy });
  });

  test('The type of a problem leads a browser to its section in the console', async () => {
    const headers = { location: '/console/reference/problems#not_found', vary: 'Origin, Accept' };
    expect(await ask('/problems/not_found', { accept: BROWSER })).toMatchObject({ status: 303, headers });
  });

  test('The types of problems are all in a list, which the refusal of an unknown type names', async () => {
    const { json } = await read('/problems');
    expect(json.items.map(({ type }: { type: string }) => type)).toEqual(Object.keys(problems).map((code) => `/problems/${code}`));
    for (const path of ['/problems/never', '/problems/constructor', '/problems/%3Cb%3E']) {
      const refused = { code: 'not_found', detail: expect.stringContaining('GET /problems lists') };
      expect(await read(path)).toMatchObject({ status: 404, json: refused });
    }
  });
});
