import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

const named = (name: string) => (one: { readonly name: string }) => one.name === name;

test('A rehearsal keeps the labels of its creation over a reset, and the list of rehearsals shows them', async () => {
  await using other = await newRehearsal();
  const labels = { by: 'ci', branch: 'main' };
  const { name } = await other.control('create-rehearsal', { body: { labels } });
  await other.call('reset-rehearsal', { headers: { 'x-rehearsal': name } });
  const { items } = await other.control('list-rehearsals');
  expect(items.find(named(name))?.labels).toEqual(labels);
  expect(items.find(named(other.name))?.labels).toBeUndefined();
  expect((await other.control('read-rehearsal', { params: { name } })).labels).toEqual(labels);
  await other.control('delete-rehearsal', { params: { name } });
});

test.each([
  [{ By: 'ci' }, '/labels/By'],
  [{ by: '' }, '/labels/by'],
  [{ by: ' \n\t' }, '/labels/by'],
  [{ by: '\u0000\u0007' }, '/labels/by'],
  [Object.fromEntries(Array.from({ length: 11 }, (_, place) => [`label-${place}`, 'x'])), '/labels'],
])('Creating a rehearsal refuses the labels %j at %s', async (labels, pointer) => {
  await using rehearsal = await newRehearsal();
  const { status, body } = await rehearsal.call('create-rehearsal', { body: { labels: labels as Record<string, string> } });
  expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
});

test('A label has one line, without control characters', async () => {
  await using rehearsal = await newRehearsal();
  const labels = { by: ' ci\r\n of  main\u001b[31m\u0007\u2028' };
  const { name } = await rehearsal.control('create-rehearsal', { body: { labels } });
  expect((await rehearsal.control('read-rehearsal', { params: { name } })).labels).toEqual({ by: 'ci of main' });
  await rehearsal.control('delete-rehearsal', { params: { name } });
});

test('The verdicts of a rehearsal list what verify found, the latest first, and the list of rehearsals has the latest', async () => {
  await using rehearsal = await newRehearsal();
  expect((await rehearsal.control('list-verdicts')).items).toEqual([]);
  const outcome = await rehearsal.control('verify');
  await rehearsal.control('verify');
  const { items } = await rehearsal.control('list-verdicts');
  expect(items.map(({ number, holds, broken }) => ({ number, holds, broken }))).toEqual([
    { number: 2, holds: true, broken: [] },
    { number: 1, holds: true, broken: [] },
  ]);
  expect(items[0]?.invariants).toEqual(outcome.invariants.map(({ id }) => id));
  const first = await rehearsal.control('list-verdicts', { query: { limit: 1 } });
  expect([first.items.length, first.next]).toEqual([1, 2]);
  const before = await rehearsal.control('list-verdicts', { query: { before: 2 } });
  expect(before.items.map(({ number }) => number)).toEqual([1]);
  const listed = (await rehearsal.control('list-rehearsals')).items.find(named(rehearsal.name));
  expect(listed?.verdict).toEqual({ at: items[0]?.at, holds: true });
  await rehearsal.control('reset-rehearsal');
  expect((await rehearsal.control('list-verdicts')).items).toEqual([]);
});

test('Each invariant names the records that it has read', async () => {
  await using rehearsal = await newRehearsal();
  const { invariants } = await rehearsal.control('verify');
  expect(invariants.find(({ id }) => id === 'money')?.reads).toEqual(expect.arrayContaining(['order', 'payment']));
  expect(invariants.every(({ reads }) => (reads ?? []).length > 0)).toBe(true);
});
