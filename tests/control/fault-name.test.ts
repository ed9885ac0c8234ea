import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';

test('A fault with a wrong name and a wrong body is refused for its name, which comes first in the request', async () => {
  await using rehearsal = await newRehearsal();
  const put = async (name: string, body: object) => {
    const answer = await request(`${estate.gateway}/_sim/faults/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal.name, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { code, errors } = (await answer.body.json()) as { code: string; errors: readonly { pointer: string }[] };
    return [answer.statusCode, code, errors.map(({ pointer }) => pointer)];
  };
  expect(await put('no%20name', { fault: { kind: 'nonsense' } })).toEqual([422, 'validation_failed', ['name']]);
  expect(await put('a-name', {})).toEqual([422, 'validation_failed', ['/match', '/fault']]);
  expect(await rehearsal.faults()).toEqual([]);
});
