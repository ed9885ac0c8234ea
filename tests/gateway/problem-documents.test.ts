import { describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { problems } from '../../shared/catalog/problems.ts';
import { estate, newRehearsal } from '../support/estate.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function ask(path: string, { accept = '*/*', method = 'GET' } = {}) {
  const { statusCode, headers, body } = await request(new URL(path, estate.gateway), { method: method as 'GET', headers: { accept } });
  const text = await body.text();
  return { status: statusCode, headers, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

describe('The type of a problem', () => {
  test('is an address at which a program reads the cause and the remedy', async () => {
    await using rehearsal = await newRehearsal();
    const { body } = await rehearsal.call('GET', '/orders/ord_never');
    const { status, headers, json } = await ask(body.type);
    expect([status, headers['content-type'], headers['vary']]).toEqual([200, 'application/json; charset=utf-8', 'Accept']);
    expect(json).toEqual({
      type: body.type,
      code: body.code,
      status: body.status,
      title: body.title,
      retryable: false,
      cause: expect.stringContaining('no object with this id'),
      remedy: expect.stringContaining('Check the id'),
    });
  });

  test('leads a browser to the section of the problem in the console', async () => {
    const { status, headers } = await ask('/problems/not_found', { accept: BROWSER });
    expect([status, headers['location'], headers['vary']]).toEqual([303, '/console/reference/problems#not_found', 'Accept']);
  });

  test('is one of the list of all problems', async () => {
    const { json } = await ask('/problems');
    expect(json.items.map(({ type }: { type: string }) => type)).toEqual(Object.keys(problems).map((code) => `/problems/${code}`));
  });

  test.each(['/problems/never', '/problems/constructor', '/problems/%3Cb%3E'])(
    'is not %s, and the refusal names the list',
    async (path) => {
      const { status, json } = await ask(path);
      expect([status, json.code, json.detail]).toEqual([404, 'not_found', expect.stringContaining('GET /problems lists')]);
    },
  );

  test('is only read', async () => {
    const { status, headers } = await ask('/problems/not_found', { method: 'DELETE' });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
