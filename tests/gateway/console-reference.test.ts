import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { bundleOf } from '../../console/scalar-bundle.ts';
import { estate } from '../support/estate.ts';

test('The script of the references is served whole, compressed, and with a tag', async () => {
  const ask = (headers: Record<string, string>) => request(`${estate.gateway}/console/reference/scalar.js`, { headers });
  const packed = await ask({ 'accept-encoding': 'gzip' });
  const body = Buffer.from(await packed.body.arrayBuffer());
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'content-encoding': 'gzip' };
  expect(packed).toMatchObject({ statusCode: 200, headers });
  expect(body.length).toBeLessThan(1_600_000);
  expect(gunzipSync(body).toString()).toContain('createApiReference');
  const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers['etag']) });
  await again.body.dump();
  expect(again.statusCode).toBe(304);
});

test('A missing script of the references is reported with its package', () => {
  expect(() => bundleOf(() => {})).toThrow('@scalar/fastify-api-reference hands out no script.');
});
