import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const ADA_CARD = '2990000123459';
const withVersion = (version: number) => ({ headers: { 'if-match': `"${version}"` } });
const balanceOf = (id: string) => rehearsal.api('get-member-balance-api', { params: { id } });

describe('If-Match', () => {
  test.each([['/members/loy_ada/balance'], [`/members/${ADA_CARD}/balance`], ['/products/mug-blue'], ['/customers/cus_ada']])(
    'of another version refuses GET %s',
    async (path) => {
      const { id, version } = (await rehearsal.call('GET', path)).body;
      expect(await rehearsal.call('GET', path, undefined, withVersion(version + 1))).toMatchObject({
        status: 412,
        body: { code: 'version_mismatch', id, currentVersion: version },
      });
      expect((await rehearsal.call('GET', path, undefined, withVersion(version))).status).toBe(200);
    },
  );

  test.each([
    ['/members/loy_ada/redeem', { points: 1, orderId: 'ord_if-match-1' }],
    [`/members/${ADA_CARD}/redeem`, { points: 1, orderId: 'ord_if-match-2' }],
    ['/loyalty/accounts/loy_ada/points', { points: 1, reason: 'late delivery' }],
    [`/loyalty/accounts/${ADA_CARD}/points`, { points: 1, reason: 'late delivery' }],
    ['/loyalty/accounts/loy_ada/redemptions', { points: 1 }],
    [`/loyalty/accounts/${ADA_CARD}/redemptions`, { points: 1 }],
  ])('of another version refuses POST %s, and that of the account changes it', async (path, body) => {
    const before = await balanceOf('loy_ada');
    expect(await rehearsal.call('POST', path, body, withVersion(before.version - 1))).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', id: 'loy_ada', currentVersion: before.version },
    });
    expect(await balanceOf('loy_ada')).toEqual(before);
    expect((await rehearsal.call('POST', path, body, withVersion(before.version))).status).toBe(201);
    expect(await balanceOf('loy_ada')).toMatchObject({ version: before.version + 1 });
  });

  test.each([
    ['"1", "{v}"', 200],
    ['"{v}","99"', 200],
    ['*', 200],
    ['"98", "99"', 412],
    ['"no-version-of-ours"', 412],
    ['""', 412],
    ['W/"{v}"', 412],
    ['W/"{v}", "99"', 412],
    ['W/"99", "{v}"', 200],
    ['{v}', 400],
    ['"1" "{v}"', 400],
  ])('with the tags %s is answered with %i', async (template, status) => {
    const { version } = await balanceOf('loy_ada');
    const headers = { 'if-match': template.replaceAll('{v}', String(version)) };
    const reply = await rehearsal.call('get-member-balance-api', { params: { id: 'loy_ada' }, headers });
    expect(reply.status).toBe(status);
    if (status === 412 && template.startsWith('W/')) expect(reply.body.detail).toContain('without W/');
  });

  test('with a list reaches the application behind a façade', async () => {
    const { version } = await balanceOf('loy_ada');
    const send = (tags: string) =>
      rehearsal.call('redeem-points-api', {
        params: { id: 'loy_ada' },
        body: { points: 1, orderId: 'ord_if-match-3' },
        headers: { 'if-match': tags },
      });
    expect((await send('"98", "99"')).status).toBe(412);
    expect((await send(`W/"${version}"`)).status).toBe(412);
    expect((await send(`"98", "${version}"`)).status).toBe(201);
  });

  test('lets one of two requests at the same time grant points', async () => {
    const { version, pointsBalance } = await balanceOf('loy_ada');
    const grant = () =>
      rehearsal.call('issue-loyalty-points-api', {
        params: { id: 'loy_ada' },
        body: { points: 5, reason: 'twice' },
        ...withVersion(version),
      });
    const replies = await Promise.all([grant(), grant()]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 412]);
    expect(await balanceOf('loy_ada')).toMatchObject({ pointsBalance: pointsBalance + 5 });
  });

  test('holds for a request whose answer was lost, when it is repeated with its key', async () => {
    const { version, pointsBalance } = await balanceOf('loy_ada');
    await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response' }, times: 1 });
    const headers = { 'if-match': `"${version}"`, 'idempotency-key': 'granted-once' };
    const grant = () =>
      rehearsal.call('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points: 7, reason: 'lost' }, headers });
    expect((await grant()).status).toBe(504);
    expect(await grant()).toMatchObject({ status: 201, body: { pointsBalance: pointsBalance + 7 } });
  });
});
