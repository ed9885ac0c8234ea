import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const MEMBER = 'loy_ada';
/** The fixtures give this member four entries. */
const SEEDED = 4;
const GRANTS = 30;

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
  for (let n = 1; n <= GRANTS; n++) await grant(n);
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const grant = (n: number, points = 10) =>
  rehearsal.call('issue-loyalty-points-api', { params: { id: MEMBER }, body: { points, reason: 'goodwill', reference: `case-${n}` } });
const account = () => rehearsal.api('get-member-balance-api', { params: { id: MEMBER } });
const references = (entries: readonly { reference?: string }[]) => entries.map(({ reference }) => reference);
const cases = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `case-${from + n}`);

describe('The ledger of an account', () => {
  test('Get Member Balance shows the newest 20 entries of a longer ledger, and its length', async () => {
    const { entries, entryCount, pointsBalance } = await account();
    expect(references(entries)).toEqual(cases(GRANTS - 19, GRANTS));
    expect(entryCount).toBe(SEEDED + GRANTS);
    expect(pointsBalance).toBe(500 + 10 * GRANTS);
  });

  test('an event of an account carries no more than the newest 20 entries', async () => {
    const events = await rehearsal.events({ subject: `loyalty-account/${MEMBER}`, ext: true });
    const lengths = events.map(({ data }) => (data['object'] as { entries: unknown[] }).entries.length);
    expect(lengths).toHaveLength(GRANTS);
    expect(Math.max(...lengths)).toBe(20);
  });

  test('List Ledger Entries pages through all entries, oldest first', async () => {
    const first = await rehearsal.api('list-ledger-entries-api', { params: { id: MEMBER } });
    expect(references(first.items)).toEqual(['welcome', 'receipt-10211', 'receipt-10874', 'receipt-11502', ...cases(1, 16)]);
    const second = await rehearsal.api('list-ledger-entries-api', {
      params: { id: '2990000123459' },
      query: { limit: '100', cursor: first.nextCursor },
    });
    expect(references(second.items)).toEqual(cases(17, GRANTS));
    expect(second).not.toHaveProperty('nextCursor');
    expect(Object.keys(first.items[0]).sort()).toEqual(['at', 'points', 'reference', 'type']);
  });

  test('List Ledger Entries refuses an unknown member, a cursor of its own making and a limit of 101', async () => {
    expect(await rehearsal.call('list-ledger-entries-api', { params: { id: 'loy_nobody' } })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    for (const query of ['cursor=abc', 'limit=101']) {
      expect(await rehearsal.call('GET', `/members/${MEMBER}/ledger?${query}`)).toMatchObject({ status: 422 });
    }
  });

  test('Issue Loyalty Points recognises a reference that the account no longer shows', async () => {
    const before = await account();
    expect(references(before.entries)).not.toContain('case-1');
    expect(await grant(1)).toMatchObject({ status: 200, body: { version: before.version } });
    expect(await grant(1, 11)).toMatchObject({ status: 409, body: { code: 'conflicting_repeat', standing: { points: 10 } } });
    const seeded = await rehearsal.call('issue-loyalty-points-api', {
      params: { id: MEMBER },
      body: {
        points: 200,
        reason: 'hello',
        reference: 'welcome',
      },
    });
    expect(seeded).toMatchObject({ status: 409, body: { code: 'conflicting_repeat' } });
    expect(await account()).toEqual(before);
  });

  test('verify adds up the whole ledger', async () => {
    await rehearsal.verify();
  });
});
