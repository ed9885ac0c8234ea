import { describe, expect, test } from '@jest/globals';
import { aRig, type Call, PARCEL, PEPPER, type Reply, type Rig, SEEDED_AT, sharedRig } from './running-gateway.ts';

const CLIENT = { name: 'shop', secret: 'shop-secret', scopes: ['catalog', 'control'], expiresIn: 600 };
const TILL = { name: 'till', secret: 'till: secret/ü', scopes: ['catalog'] };
const FORM = 'application/x-www-form-urlencoded';
const clients = [CLIENT, TILL];
const rig = sharedRig({ clients });

type Parameters = Readonly<Record<string, string>>;

const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
const basic = ({ name, secret }: { readonly name: string; readonly secret: string }) => ({
  authorization: `Basic ${Buffer.from(`${encoded(name)}:${encoded(secret)}`).toString('base64')}`,
});
const post = (path: string, parameters: Parameters | string, headers: Call['headers'] = basic(CLIENT)): Call => ({
  method: 'POST',
  path,
  headers: { 'content-type': FORM, ...headers },
  body: typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString(),
});
const GRANT = { grant_type: 'client_credentials' };
const fetching = (parameters: Parameters = {}, headers?: Call['headers']): Call =>
  post('/oauth/token', { ...GRANT, ...parameters }, headers);

type Fetching = [parameters?: Parameters, headers?: Call['headers']];
const tokenOf = ({ json }: Reply): string => String(json['access_token']);
const newToken = async (at: Rig = rig, ...call: Fetching): Promise<string> => tokenOf(await at.call(fetching(...call)));
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const calling = (token: string, path = '/orders/ord_1'): Call => ({ path, headers: bearing(token) });
const standAt = async (at: Rig, rehearsal: string, now: number): Promise<void> => {
  await at.adapter.worlds.setClock(await at.world(rehearsal), { now, flowing: false });
};
const invalidToken = (description: RegExp) => ({
  status: 401,
  json: { code: 'unauthenticated' },
  headers: {
    'cache-control': 'no-store',
    'www-authenticate': expect.stringMatching(
      new RegExp(`^Bearer realm="unified-commerce", error="invalid_token", error_description="${description.source}"$`),
    ),
  },
});

describe('Issuing', () => {
  test('A client gets a token for its APIs, with HTTP Basic or with its secret in the body', async () => {
    const reply = await rig.call(fetching());
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' },
    });
    const answer = { access_token: expect.any(String), token_type: 'Bearer', expires_in: 600, scope: 'catalog control' };
    expect(reply.json).toEqual(answer);
    expect(await rig.call(calling(tokenOf(reply)))).toMatchObject({ status: 200 });
    expect(rig.upstream.received[0]?.context).toMatchObject({ principal: 'shop', world: await rig.world('default') });
    const inBody = await rig.call(fetching({ client_id: TILL.name, client_secret: TILL.secret }, {}));
    expect(inBody).toMatchObject({ status: 200, json: { expires_in: 3_600, scope: 'catalog' } });
    expect(await rig.call(fetching({ client_id: TILL.name }, basic(TILL)))).toMatchObject({ status: 200 });
  });

  test('A token has the scopes of the request', async () => {
    const reply = await rig.call(fetching({ scope: 'catalog' }));
    expect(reply.json).toMatchObject({ scope: 'catalog' });
    expect(await rig.call(calling(tokenOf(reply), '/_control/clock'))).toMatchObject({ status: 403, json: { scope: 'control' } });
    const control = await newToken(rig, { scope: 'control' });
    expect(await rig.call(calling(control, '/_control/clock'))).toMatchObject({ status: 404 });
    expect(await rig.call(calling(control))).toMatchObject({ status: 403, json: { scope: 'catalog' } });
  });

  test('A token belongs to the rehearsal of its request, and its first use creates the rehearsal', async () => {
    const token = await newToken(rig, {}, { ...basic(CLIENT), 'x-rehearsal': 'new-by-token' });
    await rig.call(calling(token));
    expect(rig.upstream.received[0]?.context?.world).toBe(await rig.world('new-by-token'));
    const elsewhere = await rig.call({ ...calling(token), headers: { ...bearing(token), 'x-rehearsal': 'default' } });
    expect(elsewhere).toMatchObject({ status: 403, json: { rehearsal: 'new-by-token' } });
  });

  test('The client of a rehearsal gets tokens for this rehearsal alone', async () => {
    const { clientId, clientSecret } = await rig.rehearsal('with-client');
    const own = { name: clientId, secret: clientSecret };
    await rig.call(calling(await newToken(rig, {}, basic(own))));
    expect(rig.upstream.received[0]?.context).toMatchObject({ principal: 'reh:with-client', world: await rig.world('with-client') });
    expect(await rig.call(fetching({ scope: 'control' }, basic(own)))).toMatchObject({ status: 400, json: { error: 'invalid_scope' } });
    const description = "The credential belongs to the rehearsal 'with-client' and reaches no other.";
    expect(await rig.call(fetching({}, { ...basic(own), 'x-rehearsal': 'default' }))).toMatchObject({
      ...{ status: 403, json: { error: 'invalid_request', error_description: description } },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    await rig.adapter.worlds.remove('with-client');
    expect(await rig.call(fetching({}, basic(own)))).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
  });

  test.each<[string, Call, number, string]>([
    ['no client', fetching({}, {}), 401, 'invalid_client'],
    ['an unknown client', fetching({}, basic({ name: 'nobody', secret: CLIENT.secret })), 401, 'invalid_client'],
    ['a wrong secret', fetching({}, basic({ ...CLIENT, secret: 'wrong' })), 401, 'invalid_client'],
    ['the secret of another client', fetching({}, basic({ ...CLIENT, secret: TILL.secret })), 401, 'invalid_client'],
    ['the client of an unknown rehearsal', fetching({}, basic({ name: 'reh_unknown', secret: 'secret' })), 401, 'invalid_client'],
    ['a bearer token for the client', fetching({}, bearing('integration-token')), 401, 'invalid_client'],
    ['Basic without a secret', fetching({}, { authorization: 'Basic c2hvcA==' }), 401, 'invalid_client'],
    ['two authentications', fetching({ client_secret: CLIENT.secret }), 400, 'invalid_request'],
    ['two clients', fetching({ client_id: TILL.name }), 400, 'invalid_request'],
    ['no grant type', post('/oauth/token', { scope: 'catalog' }), 400, 'invalid_request'],
    ['a long body', post('/oauth/token', `grant_type=client_credentials${'&a'.repeat(9_000)}`), 413, 'invalid_request'],
    ['an empty body', post('/oauth/token', ''), 400, 'invalid_request'],
    ['a repeated parameter', post('/oauth/token', 'grant_type=client_credentials&grant_type=client_credentials'), 400, 'invalid_request'],
    ['a JSON body', fetching({}, { ...basic(CLIENT), 'content-type': 'application/json' }), 400, 'invalid_request'],
    [
      'a body that is not UTF-8 by its charset',
      fetching({}, { ...basic(CLIENT), 'content-type': `${FORM}; charset=latin1` }),
      400,
      'invalid_request',
    ],
    ['parameters in the address', { ...fetching(), path: '/oauth/token?scope=catalog' }, 400, 'invalid_request'],
    ['an invalid name of a rehearsal', fetching({}, { ...basic(CLIENT), 'x-rehearsal': 'Not A Name' }), 400, 'invalid_request'],
    ['another grant', fetching({ grant_type: 'password' }), 400, 'unsupported_grant_type'],
    ['an unknown scope', fetching({ scope: 'catalog admin' }), 400, 'invalid_scope'],
    ['a scope that the client has not', fetching({ scope: 'control' }, basic(TILL)), 400, 'invalid_scope'],
  ])('A request for a token with %s is refused in the form of RFC 6749', async (_what, call, status, error) => {
    const { status: answered, json, headers } = await rig.call(call);
    expect([answered, json]).toEqual([status, { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) }]);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    expect(headers['www-authenticate']).toEqual(status === 401 ? expect.stringMatching(/^Basic realm="/) : undefined);
  });

  test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('The method %s is refused with the permitted one', async (method) => {
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      const { status, json, headers } = await rig.call({ method, path });
      expect([status, headers['allow']]).toEqual([405, 'POST']);
      if (method !== 'HEAD') expect(json).toEqual({ error: 'invalid_request', error_description: expect.stringContaining(method) });
    }
  });

  test('A body above the limit is refused with 413', async () => {
    const reply = await rig.call(post('/oauth/token', `scope=${'x'.repeat(1_100_000)}`));
    expect(reply).toMatchObject({ status: 413, json: { error: 'invalid_request' } });
  });

  test('Requests for tokens count against the limits of the address and of the client', async () => {
    const limits = { perAddressPerMinute: 5, perKeyPerMinute: 2 };
    await using limited = await aRig({ clients, limits });
    const statuses: number[] = [];
    for (const client of [CLIENT, CLIENT, CLIENT, TILL, TILL, TILL])
      statuses.push((await limited.call(fetching({}, basic(client)))).status);
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
  });
});

describe('Expiry', () => {
  test('A token expires on the clock of its rehearsal, and the refusal names the instant', async () => {
    await rig.rehearsal('expiring');
    await standAt(rig, 'expiring', SEEDED_AT);
    const token = await newToken(rig, {}, { ...basic(CLIENT), 'x-rehearsal': 'expiring' });
    await standAt(rig, 'expiring', SEEDED_AT + 599_999);
    expect(await rig.call(calling(token))).toMatchObject({ status: 200 });
    await standAt(rig, 'expiring', SEEDED_AT + 600_000);
    const expired = invalidToken(/The access token expired at 2026-03-01T10:10:00\.000Z, on the clock of the rehearsal/);
    expect(await rig.call(calling(token))).toMatchObject(expired);
    // Get Product needs no credential, but an answer from another rehearsal would mislead.
    expect(await rig.call(calling(token, '/products/mug'))).toMatchObject(expired);
    expect(await rig.call(calling(token, '/_control/clock'))).toMatchObject(expired);
  });

  test('A token ends when its rehearsal is reset or deleted, and the client stays until it is deleted', async () => {
    const { clientId: name, clientSecret: secret } = await rig.rehearsal('reset-soon');
    const before = await newToken(rig, {}, basic({ name, secret }));
    await rig.adapter.worlds.replace('reset-soon', { now: SEEDED_AT, applications: {}, due: [] });
    const ended = invalidToken(/The access token ended when its rehearsal was reset or deleted/);
    expect(await rig.call(calling(before))).toMatchObject(ended);
    const after = await newToken(rig, {}, basic({ name, secret }));
    expect(await rig.call(calling(after))).toMatchObject({ status: 200 });
    await rig.adapter.worlds.remove('reset-soon');
    expect(await rig.call(calling(after))).toMatchObject(ended);
  });

  test.each<[string, (token: string) => string]>([
    ['with another signature', (token) => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`],
    ['without a signature', (token) => token.split('.')[0] ?? ''],
    ['with other content', (token) => `${token.slice(0, 6)}${token[6] === 'A' ? 'B' : 'A'}${token.slice(7)}`],
    ['of an unknown form', () => 'uct_'],
    ['with a third part', (token) => `${token}.x`],
    ['with a dot at its end', (token) => `${token}.`],
  ])('A token %s is refused', async (_what, forge) => {
    const forged = forge(await newToken());
    expect(await rig.call(calling(forged))).toMatchObject(invalidToken(/The access token was not issued here/));
  });

  test('A token is verified by every gateway with the same pepper and by no other', async () => {
    await using same = await aRig({ clients, directory: rig.adapter.worlds, pepper: PEPPER });
    await using other = await aRig({ clients, directory: rig.adapter.worlds, pepper: 'another-pepper' });
    const token = await newToken();
    expect(await same.call(calling(token))).toMatchObject({ status: 200 });
    expect(await other.call(calling(token))).toMatchObject({ status: 401 });
  });

  test('An API for API keys takes no token', async () => {
    const token = await newToken();
    expect(await rig.call({ path: PARCEL, headers: { 'x-api-key': token } })).toMatchObject({ status: 401 });
    expect(await rig.call(calling(token, PARCEL))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^ApiKey/) },
    });
  });
});

describe('Revocation', () => {
  const revoking = (token: string, client = CLIENT as { readonly name: string; readonly secret: string }): Call =>
    post('/oauth/revoke', { token, token_type_hint: 'access_token' }, basic(client));

  test('A client revokes its token at every gateway, and other tokens stay valid', async () => {
    await using other = await aRig({ clients, directory: rig.adapter.worlds });
    const [token, kept] = [await newToken(), await newToken()];
    expect(await rig.call(revoking(token))).toMatchObject({ status: 200, text: '', headers: { 'cache-control': 'no-store' } });
    for (const gateway of [rig, other]) {
      expect(await gateway.call(calling(token))).toMatchObject(invalidToken(/The access token was revoked/));
      expect(await gateway.call(calling(kept))).toMatchObject({ status: 200 });
    }
    expect(await rig.call(revoking(token))).toMatchObject({ status: 200 });
  });

  test('Revoking an unknown token, or a token of a deleted rehearsal, is answered with 200', async () => {
    const token = await newToken(rig, {}, { ...basic(CLIENT), 'x-rehearsal': 'revoked-late' });
    await rig.adapter.worlds.remove('revoked-late');
    for (const late of [token, 'no-token', 'uct_broken.token']) expect(await rig.call(revoking(late))).toMatchObject({ status: 200 });
  });

  test('The token of another client is not revoked', async () => {
    const token = await newToken();
    expect(await rig.call(revoking(token, TILL))).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await rig.call(calling(token))).toMatchObject({ status: 200 });
  });

  test.each<[string, Call, number, string]>([
    ['no token', post('/oauth/revoke', {}), 400, 'invalid_request'],
    ['no client', post('/oauth/revoke', { token: 'x' }, {}), 401, 'invalid_client'],
  ])('A revocation with %s is refused', async (_what, call, status, error) => {
    expect(await rig.call(call)).toMatchObject({ status, json: { error } });
  });
});

test('Neither the log nor a journal contains a token or the secret of a client', async () => {
  await using logging = await aRig({ clients });
  const { clientId: name, clientSecret: secret } = await logging.rehearsal('logged');
  const tokens = [await newToken(logging), await newToken(logging, {}, basic({ name, secret }))];
  logging.upstream.answer = (request) => void request.socket.destroy();
  const inAddress = (token: string): Call => ({ path: `/customers?q=${token}`, headers: bearing(token) });
  for (const token of tokens) {
    await logging.call(inAddress(token));
    await logging.call({ ...calling(token), headers: { ...bearing(token), 'x-correlation-id': token } });
    await logging.call(post('/oauth/revoke', { token, client_id: 'shop', client_secret: CLIENT.secret }, {}));
    await logging.call(inAddress(token));
  }
  await logging.call({ ...fetching(), path: `/oauth/token?client_secret=${CLIENT.secret}` });
  const written = logging.logged() + JSON.stringify([await logging.journal('default'), await logging.journal('logged')]);
  expect(written).toContain('[redacted]');
  for (const hidden of [...tokens, CLIENT.secret, secret]) expect(written).not.toContain(hidden);
});
