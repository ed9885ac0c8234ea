import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

test('A fault with an invalid name and an invalid body is refused for its name', async () => {
  await using rehearsal = await newRehearsal();
  const pointersOf = async (name: string, body: object) => {
    const reply = await rehearsal.call('put-fault', { params: { name }, body });
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    return reply.body.errors.map(({ pointer }: { pointer: string }) => pointer);
  };
  expect(await pointersOf('no name', { fault: { kind: 'nonsense' } })).toEqual(['{name}']);
  expect(await pointersOf('n'.repeat(65), { fault: { kind: 'nonsense' } })).toEqual(['{name}']);
  expect(await pointersOf('a-name', {})).toEqual(['/match', '/fault']);
  expect(await rehearsal.faults()).toEqual([]);
});

test('A fault with a name of more than 64 characters is refused for its length', async () => {
  await using rehearsal = await newRehearsal();
  const rule = { match: { application: 'crm' }, fault: { kind: 'outage' } } as const;
  await rehearsal.fault('n'.repeat(64), rule);
  await expect(rehearsal.fault('n'.repeat(65), rule)).rejects.toThrow('A fault’s name has at most 64 characters, not 65.');
});
