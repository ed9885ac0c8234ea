import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { problems } from '../../shared/catalog/problems.ts';
import { estate, newRehearsal } from '../support/estate.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function ask(path: string, { accept = '*/*', method = 'GET' } = {}) {
  const { statusCode: status, headers, body } = await request(new URL(path, estate.gateway), { method, headers: { accept } });
  const text = await body.text();
  return { status, headers, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

test('The type of a problem is an address with its cause and its remedy', async () => {
  await using rehearsal = await newRehearsal();
  const { body } = await rehearsal.call('get-order-api', { params: { id: 'ord_never' } });
  const { type, code, status, title } = body;
  const document = await ask(type);
  expect(document).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8', vary: 'Accept' } });
  const cause = expect.stringContaining('no object with this id');
  const remedy = expect.stringContaining('Check the id');
  expect(document.json).toEqual({ type, code, status, title, retryable: false, cause, remedy });
});

test('The type of a problem leads a browser to its section in the console', async () => {
  const headers = { location: '/console/reference/problems#not_found', vary: 'Accept' };
  expect(await ask('/problems/not_found', { accept: BROWSER })).toMatchObject({ status: 303, headers });
});

test('The list of problems has every problem of the catalog', async () => {
  const { json } = await ask('/problems');
  expect(json.items.map(({ type }: { type: string }) => type)).toEqual(Object.keys(problems).map((code) => `/problems/${code}`));
});

test.each(['/problems/never', '/problems/constructor', '/problems/%3Cb%3E'])(
  '%s is not found, and the refusal names the list',
  async (path) => {
    const json = { code: 'not_found', detail: expect.stringContaining('GET /problems lists') };
    expect(await ask(path)).toMatchObject({ status: 404, json });
  },
);

test('The type of a problem accepts only GET and HEAD', async () => {
  expect(await ask('/problems/not_found', { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});
