import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

const ADA_CARD = '2990000123459';
const withVersion = (version: number) => ({ headers: { 'if-match': `"${version}"` } });
const ada = () => rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
const grant = (points: number, headers: Record<string, string>) =>
  rehearsal.call('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: { points, reason: 'late delivery' }, headers });

test.each([
  ['get-member-balance-api', 'loy_ada'],
  ['get-member-balance-api', ADA_CARD],
  ['get-product-api', 'mug-blue'],
] as const)('An If-Match of another version refuses %s of %s', async (api, of) => {
  const read = (how = {}) => rehearsal.call(api, { params: { id: of }, ...how });
  const { id, version } = (await read()).body;
  const body = { code: 'version_mismatch', id, currentVersion: version };
  expect(await read(withVersion(version + 1))).toMatchObject({ status: 412, body });
  expect((await read(withVersion(version))).status).toBe(200);
});

test('An If-Match of another version of the account refuses Redeem Points of its card', async () => {
  const before = await ada();
  const redeem = (version: number) =>
    rehearsal.call('redeem-points-api', { params: { id: ADA_CARD }, body: { points: 1, orderId: 'ord_1' }, ...withVersion(version) });
  const body = { code: 'version_mismatch', id: 'loy_ada', currentVersion: before.version };
  expect(await redeem(before.version - 1)).toMatchObject({ status: 412, body });
  expect(await ada()).toEqual(before);
  expect((await redeem(before.version)).status).toBe(201);
  expect(await ada()).toMatchObject({ version: before.version + 1 });
});

test.each([
  ['"1", "{v}"', 200],
  ['"{v}","99"', 200],
  ['*', 200],
  ['"98", "99"', 412],
  ['"no-version-of-ours"', 412],
  ['""', 412],
  ['W/"{v}"', 412],
  ['W/"99", "{v}"', 200],
])('An If-Match of %s is answered with %i', async (template, status) => {
  const headers = { 'if-match': template.replaceAll('{v}', String((await ada()).version)) };
  const reply = await rehearsal.call('get-member-balance-api', { params: { id: 'loy_ada' }, headers });
  expect(reply.status).toBe(status);
  if (status === 412 && template.startsWith('W/')) expect(reply.body.detail).toContain('without W/');
});

test('A list in If-Match reaches the application behind a façade', async () => {
  const { version } = await ada();
  expect((await grant(1, { 'if-match': '"98", "99"' })).status).toBe(412);
  expect((await grant(1, { 'if-match': `W/"${version}"` })).status).toBe(412);
  expect((await grant(1, { 'if-match': `"98", "${version}"` })).status).toBe(201);
});

test('An If-Match lets one of two concurrent requests grant points', async () => {
  const { version, pointsBalance } = await ada();
  const { headers } = withVersion(version);
  const replies = await Promise.all([grant(5, headers), grant(5, headers)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 412]);
  expect(await ada()).toMatchObject({ pointsBalance: pointsBalance + 5 });
});

test('A request with an If-Match whose answer was lost succeeds when it is repeated with its key', async () => {
  const { version, pointsBalance } = await ada();
  await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response' }, times: 1 });
  const headers = { 'if-match': `"${version}"`, 'idempotency-key': 'granted-once' };
  expect((await grant(7, headers)).status).toBe(504);
  expect(await grant(7, headers)).toMatchObject({ status: 201, body: { pointsBalance: pointsBalance + 7 } });
});
