import { gunzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { scriptOf } from '../../console/scalar.ts';
import { estate } from '../support/estate.ts';

test('The script of the references is served whole, compressed, and with an ETag', async () => {
  const page = await (await request(`${estate.gateway}/console/reference/api`)).body.text();
  const [, script = ''] = /<script defer src="([^"]+)">/.exec(page) ?? [];
  const ask = (headers: Record<string, string>) => request(`${estate.gateway}${script}`, { headers });
  const packed = await ask({ 'accept-encoding': 'gzip' });
  const body = Buffer.from(await packed.body.arrayBuffer());
  expect([packed.statusCode, packed.headers['content-type'], packed.headers['content-encoding']]).toEqual([
    200,
    'text/javascript; charset=utf-8',
    'gzip',
  ]);
  expect(body.length).toBeLessThan(1_600_000);
  expect(gunzipSync(body).toString()).toContain('createApiReference');
  const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': String(packed.headers['etag']) });
  await again.body.dump();
  expect(again.statusCode).toBe(304);
});

test('The script of the references is reported as missing when its package does not export it', () => {
  expect(() => scriptOf(() => {})).toThrow('@scalar/fastify-api-reference hands out no script.');
});
