import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { parse } from 'yaml';
import { estateAsyncApi } from '../../shared/contract/asyncapi/document.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { estate } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';

const { version } = JSON.parse(textOf('package.json')) as { version: string };
const documents = { openapi: estateOpenApi(version), asyncapi: estateAsyncApi(version, 'memory') };

describe('The public page of the gateway', () => {
  test.each(Object.entries(documents))('includes the %s document, with the same content in JSON and YAML', async (name, described) => {
    const document = JSON.parse(JSON.stringify(described));
    const json = await fetch(`${estate.gateway}/${name}.json`);
    expect(json.headers.get('content-type')).toContain('application/json');
    expect(await json.json()).toEqual(document);
    const yaml = await fetch(`${estate.gateway}/${name}.yaml`);
    expect(yaml.headers.get('content-type')).toContain('application/yaml');
    expect(parse(await yaml.text())).toEqual(document);
  });

  test('is an index for browsers, whose links all work', async () => {
    const page = await fetch(`${estate.gateway}/`);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    const links = [...(await page.text()).matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      const answer = await fetch(`${estate.gateway}${link}`);
      expect([link, answer.status]).toEqual([link, 200]);
      expect(await answer.text()).not.toBe('');
    }
  });

  test.each(['/', '/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml'])(
    'accepts only GET and HEAD at %s',
    async (path) => {
      const answer = await fetch(`${estate.gateway}${path}`, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await answer.json()).toMatchObject({ status: 405 });
    },
  );
});

/** Sends its own `Accept-Encoding`, because `fetch` sets the header and decodes the answer itself. */
const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  request(`${estate.gateway}${path}`, { method, headers }).then(async ({ statusCode, headers: answered, body }) => ({
    status: statusCode,
    headers: answered,
    body: Buffer.from(await body.arrayBuffer()),
  }));

describe.each(['/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml', '/'])('The document %s', (path) => {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body: Buffer) => body };

  test.each([
    ['br', 'gzip, deflate, br'],
    ['gzip', 'gzip, deflate'],
    ['gzip', 'br;q=0, gzip;q=0.5'],
    ['identity', 'identity'],
    ['identity', 'zstd'],
  ] as const)('comes as %s to a client that takes %s, the same in GET and HEAD, with a tag of its own', async (coding, accepted) => {
    const plain = await ask(path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const answer = await ask(path, { 'accept-encoding': accepted });
    expect(answer.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
    expect(answer.headers['vary']).toBe('Accept-Encoding');
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(decode[coding](answer.body).equals(plain.body)).toBe(true);
    expect(answer.headers['etag'] === plain.headers['etag']).toBe(coding === 'identity');
    const head = await ask(path, { 'accept-encoding': accepted }, 'HEAD');
    expect(head.body).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-type', 'content-encoding', 'vary'])
      expect([name, head.headers[name]]).toEqual([name, answer.headers[name]]);
  });

  test('is not sent again to a client with a current copy', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const { etag } = (await ask(path, headers)).headers;
    for (const tags of [String(etag), `"other", ${etag}`, `W/${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(path, { ...headers, 'if-none-match': tags }, method);
        expect([again.status, again.body.length, again.headers['etag'], again.headers['vary']]).toEqual([304, 0, etag, 'Accept-Encoding']);
      }
    }
    expect((await ask(path, { 'if-none-match': String(etag) })).status).toBe(200);
    expect((await ask(path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
  });
});
