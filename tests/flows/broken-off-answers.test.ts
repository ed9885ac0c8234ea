import { describe, expect } from '@jest/globals';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const half = (rehearsal: TestRehearsal, api: string) =>
  rehearsal.fault('half', { match: { api, caller: 'outside' }, fault: { kind: 'lost-response', as: 'half' }, times: 1 });

/** Gives a member points, as a client of a user does. */
const givePoints = ({ credentials }: TestRehearsal, points = 100): Promise<Response> =>
  fetch(`${estate.gateway}/loyalty/accounts/loy_ada/points`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.bearer}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
    body: JSON.stringify({ points, reason: 'welcome' }),
  });

const API = 'issue-loyalty-points-api';
const balanceOf = async (rehearsal: TestRehearsal) =>
  (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;

describe('Answers that a fault breaks off', () => {
  test('A client gets the status and half of the body, then the connection breaks; a repeat with the same key gets the whole answer', async (rehearsal) => {
    const before = await balanceOf(rehearsal);
    await half(rehearsal, API);
    const broken = await givePoints(rehearsal);
    const whole = Number(broken.headers.get('content-length'));
    expect([broken.status, whole]).toEqual([201, expect.any(Number)]);
    await expect(broken.text()).rejects.toThrow('terminated');

    const repeated = await givePoints(rehearsal);
    const text = await repeated.text();
    expect([repeated.status, repeated.headers.get('idempotent-replayed'), text.length]).toEqual([201, 'true', whole]);
    expect(await balanceOf(rehearsal)).toBe(before + 100);
    const [hop] = (await rehearsal.journal()).filter(({ faults }) => faults.includes('half'));
    expect([hop?.api, hop?.status, hop?.response]).toEqual([API, 201, text.slice(0, Math.floor(whole / 2))]);
  });

  test('A refusal that breaks off has half of its problem', async (rehearsal) => {
    await half(rehearsal, API);
    const broken = await givePoints(rehearsal, -1);
    expect([broken.status, broken.headers.get('content-type')]).toEqual([422, 'application/problem+json; charset=utf-8']);
    await expect(broken.text()).rejects.toThrow('terminated');
    expect((await givePoints(rehearsal)).status).toBe(201);
  });

  test('A compressed or chunked answer breaks off, too', async (rehearsal) => {
    for (const change of ['compressed-body', 'chunked-body'] as const) {
      await half(rehearsal, API);
      await rehearsal.fault('change', { match: { api: API }, fault: { kind: 'permitted', change }, times: 1 });
      await expect(givePoints(rehearsal).then((broken) => broken.text())).rejects.toThrow('terminated');
      expect((await rehearsal.faults()).map(({ hits }) => hits)).toEqual([1, 1]);
    }
  });
});
