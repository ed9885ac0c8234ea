import { describe, expect } from '@jest/globals';
import type { CallOptions } from '../../rehearsal/estate-client.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { replayed } from '../support/replay.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const EXPIRED = { kind: 'expired-token' } as const;
const CUSTOMER = '/customers/cus_ada';

interface Client {
  readonly credentials: Pick<TestRehearsal['credentials'], 'clientId' | 'clientSecret'>;
}

/** An access token of the rehearsal’s client. */
async function newToken({ credentials: { clientId, clientSecret } }: Client): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const answer = await fetch(`${estate.gateway}/oauth/token`, { method: 'POST', body });
  return ((await answer.json()) as { readonly access_token: string }).access_token;
}

async function readAda(token: string, path = CUSTOMER) {
  const answer = await fetch(`${estate.gateway}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const { detail } = (await answer.json()) as { readonly detail?: string };
  return {
    status: answer.status,
    detail,
    challenge: answer.headers.get('www-authenticate'),
    requestId: answer.headers.get('x-request-id'),
  };
}

const statusesOf = (tokens: readonly string[]) => Promise.all(tokens.map(async (token) => (await readAda(token)).status));

describe('A fault that makes access tokens expire', () => {
  test('A struck call is answered as with an expired token, all earlier tokens stay expired, and a new token works', async (rehearsal) => {
    await rehearsal.control('set-clock', { body: { flowing: false } });
    const [token, other] = [await newToken(rehearsal), await newToken(rehearsal)];
    await rehearsal.fault('expiry', { match: { api: 'get-customer-api' }, fault: EXPIRED, times: 1 });
    const { now } = await rehearsal.control('read-clock');
    const reason = `The access token expired at ${now}, on the clock of the rehearsal`;
    const struck = await readAda(token);
    expect(struck).toMatchObject({
      status: 401,
      detail: `${reason}. Fetch a new one with POST /oauth/token.`,
      challenge: `Bearer realm="unified-commerce", error="invalid_token", error_description="${reason}"`,
    });
    expect(await rehearsal.faults()).toMatchObject([{ hits: 1, struck: [{ requestId: struck.requestId }] }]);
    const hop = (await rehearsal.journal()).find(({ faults }) => faults.includes('expiry'));
    expect(hop).toMatchObject({ requestId: struck.requestId, application: 'gateway', api: 'get-customer-api', status: 401 });
    await rehearsal.noFaults();
    const { requestId: _id, ...refusal } = struck;
    for (const one of [token, other]) expect(await readAda(one)).toMatchObject(refusal);
    expect(await statusesOf([await newToken(rehearsal)])).toEqual([200]);
    expect((await rehearsal.verify()).holds).toBe(true);
  });

  test('Tokens that were fetched after one strike expire with the next one', async (rehearsal) => {
    await rehearsal.fault('expiry', { match: { api: 'get-customer-api' }, fault: EXPIRED, times: 2 });
    const first = await newToken(rehearsal);
    expect(await statusesOf([first])).toEqual([401]);
    const second = await newToken(rehearsal);
    expect(await statusesOf([second])).toEqual([401]);
    expect(await statusesOf([first, second, await newToken(rehearsal)])).toEqual([401, 401, 200]);
  });

  test('Calls with other credentials, calls of other APIs and dry runs pass and do not count', async (rehearsal) => {
    const token = await newToken(rehearsal);
    await rehearsal.fault('expiry', { match: { application: 'oms' }, fault: EXPIRED, skip: 1, times: 1 });
    const { id } = await rehearsal.draft();
    expect(await rehearsal.call('GET', `/orders/${id}`)).toMatchObject({ status: 200 });
    expect(await statusesOf([token])).toEqual([200]);
    const asToken = (headers: CallOptions['headers'] = {}): CallOptions => ({ headers: { authorization: `Bearer ${token}`, ...headers } });
    expect(await rehearsal.call('POST', `/orders/${id}/confirm?dryRun=true`, {}, asToken())).not.toMatchObject({ status: 401 });
    expect(await rehearsal.call('GET', `/orders/${id}`, undefined, asToken())).toMatchObject({ status: 200 });
    expect(await rehearsal.call('GET', `/orders/${id}`, undefined, asToken())).toMatchObject({ status: 401 });
    expect(await rehearsal.faults()).toMatchObject([{ hits: 1 }]);
  });

  test('A reset and a fork do not have the expiry of the first world', async (rehearsal) => {
    await rehearsal.fault('expiry', { match: { api: 'get-customer-api' }, fault: EXPIRED, times: 1 });
    expect(await statusesOf([await newToken(rehearsal)])).toEqual([401]);
    await using fork = await openRehearsal(estate.gateway, undefined, { from: { rehearsal: rehearsal.name } });
    const { clientId, clientSecret } = fork.credentials;
    expect(await statusesOf([await newToken({ credentials: { clientId, clientSecret } })])).toEqual([200]);
    await rehearsal.control('reset-rehearsal');
    expect(await statusesOf([await newToken(rehearsal)])).toEqual([200]);
  });

  test.each([
    [
      'an API with API keys',
      { match: { api: 'track-shipment-api' }, fault: EXPIRED },
      {
        pointer: '/fault/kind',
        code: 'not_its_fault',
        detail: expect.stringContaining('No client calls track-shipment-api with an access token'),
      },
    ],
    [
      'a call between applications',
      { match: { api: 'confirm-order-api', caller: 'pos' }, fault: EXPIRED },
      { pointer: '/match/caller', detail: 'Only clients have access tokens: leave the caller out, or give outside.' },
    ],
    [
      'an event',
      { match: { event: 'order-confirmed' }, fault: EXPIRED },
      { pointer: '/fault/kind', detail: expect.stringContaining('The fault expired-token does not apply to events') },
    ],
  ])('A fault that makes access tokens expire is refused for %s', async (rehearsal, _what, body, error) => {
    const reply = await rehearsal.call('put-fault', { params: { name: 'f' }, body });
    expect(reply).toMatchObject({ status: 422, body: { errors: [error] } });
  });

  test('The story of a client that fetched a new token repeats the refused call with an access token, and passes', async (rehearsal) => {
    const order = await rehearsal.authorised();
    await rehearsal.fault('expiry', { match: { api: 'confirm-order-api' }, fault: EXPIRED, times: 1 });
    const confirm = () => rehearsal.call('POST', `/orders/${order.id}/confirm`, {}, { as: 'access-token' });
    expect([(await confirm()).status, (await confirm()).status]).toEqual([401, 200]);
    await rehearsal.settle();
    const { text } = await rehearsal.control('read-story');
    expect(text.match(/as: 'access-token'/g)).toHaveLength(1);
    expect(text).toContain("fault: { kind: 'expired-token' }");
    expect(text).toContain('status: 401');
    expect(await replayed(text)).toBe('passed');
  });
});
