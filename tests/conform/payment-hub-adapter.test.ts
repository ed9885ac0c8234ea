import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { estate } from '../support/estate.ts';

test('The example adapter passes its own tests', async () => {
  const file = fileURLToPath(new URL('../../examples/payment-hub-adapter/adapter.test.mjs', import.meta.url));
  const env = { ...process.env, ESTATE_URL: estate.gateway };
  await promisify(execFile)(process.execPath, ['--test', file], { env }).catch(({ stdout }) => Promise.reject(new Error(stdout)));
});
