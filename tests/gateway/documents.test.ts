import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { estateAsyncApi } from '../../shared/contract/asyncapi.ts';
import { estateOpenApi } from '../../shared/contract/openapi.ts';
import { estate } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';

const { version } = JSON.parse(textOf('package.json')) as { version: string };
const documents = { openapi: estateOpenApi(version), asyncapi: estateAsyncApi(version) };

describe('What the gateway shows to anybody', () => {
  test.each(Object.entries(documents))('is the %s document, the same in JSON and in YAML', async (name, described) => {
    const document = JSON.parse(JSON.stringify(described));
    const json = await fetch(`${estate.gateway}/${name}.json`);
    expect(json.headers.get('content-type')).toContain('application/json');
    expect(await json.json()).toEqual(document);
    const yaml = await fetch(`${estate.gateway}/${name}.yaml`);
    expect(yaml.headers.get('content-type')).toContain('application/yaml');
    expect(parse(await yaml.text())).toEqual(document);
  });

  test('is a first page for browsers, whose links all lead somewhere', async () => {
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
    'takes no other method than GET and HEAD at %s',
    async (path) => {
      const answer = await fetch(`${estate.gateway}${path}`, { method: 'POST' });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      expect(await answer.json()).toMatchObject({ status: 405 });
    },
  );
});
