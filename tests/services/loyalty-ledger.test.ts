import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const MEMBER = 'loy_ada';
/** The fixtures give this member four entries. */
const SEEDED = ['welcome', 'receipt-10211', 'receipt-10874', 'receipt-11502'];
const GRANTS = 30;

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
  for (let n = 1; n <= GRANTS; n++) await grant(`case-${n}`);
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const grant = (reference: string, points = 10) =>
  rehearsal.call('issue-loyalty-points-api', { params: { id: MEMBER }, body: { points, reason: 'goodwill', reference } });
const account = () => rehearsal.api('get-member-balance-api', { params: { id: MEMBER } });
const references = (entries: readonly { reference?: string }[]) => entries.map(({ reference }) => reference);
const cases = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `case-${from + n}`);

test('Get Member Balance and the events of an account show the newest 20 entries of a longer ledger', async () => {
  const { entries, entryCount, pointsBalance } = await account();
  expect(references(entries)).toEqual(cases(GRANTS - 19, GRANTS));
  expect([entryCount, pointsBalance]).toEqual([SEEDED.length + GRANTS, 500 + 10 * GRANTS]);
  const events = await rehearsal.events({ subject: `loyalty-account/${MEMBER}`, ext: true });
  expect(events).toHaveLength(GRANTS);
  expect(Math.max(...events.map(({ data }) => data.object.entries.length))).toBe(20);
});

test('Issue Loyalty Points recognises a reference that the account no longer shows', async () => {
  const before = await account();
  expect(references(before.entries)).not.toContain('case-1');
  expect(await grant('case-1')).toMatchObject({ status: 200, body: { version: before.version } });
  expect((await grant('case-1', 11)).body).toMatchObject({ status: 409, code: 'conflicting_repeat', standing: { points: 10 } });
  expect((await grant('welcome', 200)).body).toMatchObject({ status: 409, code: 'conflicting_repeat' });
  expect(await account()).toEqual(before);
  await rehearsal.verify();
});
