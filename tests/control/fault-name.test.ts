import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';

test('A fault with a wrong name and a wrong body is refused for its name, which comes first in the request', async () => {
  await using rehearsal = await newRehearsal();
  const put = async (name: string, body: object) => {
    const answer = await request(`${estate.gateway}/_control/faults/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal.name, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { code, errors } = (await answer.body.json()) as { code: string; errors: readonly { pointer: string }[] };
    return [answer.statusCode, code, errors.map(({ pointer }) => pointer)];
  };
  expect(await put('no%20name', { fault: { kind: 'nonsense' } })).toEqual([422, 'validation_failed', ['{name}']]);
  expect(await put('n'.repeat(65), { fault: { kind: 'nonsense' } })).toEqual([422, 'validation_failed', ['{name}']]);
  expect(await put('a-name', {})).toEqual([422, 'validation_failed', ['/match', '/fault']]);
  expect(await rehearsal.faults()).toEqual([]);
});

test('A fault with a name of more than 64 characters is refused for its length', async () => {
  await using rehearsal = await newRehearsal();
  const rule = { match: { application: 'crm' }, fault: { kind: 'outage' } } as const;
  await rehearsal.fault('n'.repeat(64), rule);
  await expect(rehearsal.fault('n'.repeat(65), rule)).rejects.toThrow('A fault’s name has at most 64 characters, not 65.');
});
