import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import { clientOnAgent, createEstateClient } from '../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { serving } from '../conform/serving.ts';
import { estate } from '../support/estate.ts';

const BASKET: ApiInput<'create-basket-api'>['body'] = { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] };

let rehearsal: EstateRehearsal;
beforeAll(async () => {
  rehearsal = await EstateRehearsal.create({ gateway: estate.gateway, credentials: DEMO_CREDENTIALS });
});
afterAll(() => rehearsal.delete());

test('A refused call by id or by path returns the problem', async () => {
  const byId = await rehearsal.call('get-product-api', { params: { id: 'no-such-thing' } });
  const byPath = await rehearsal.call('GET', '/products/no-such-thing');
  for (const reply of [byId, byPath]) {
    const code = reply.ok ? 'none' : reply.body.code;
    expect([reply.ok, reply.status, code]).toEqual([false, 404, 'not_found']);
  }
});

test('A call by a misspelt id is refused with the nearest one', async () => {
  // @ts-expect-error as from JavaScript
  await expect(rehearsal.call('create-baskt-api')).rejects.toThrow('There is no API create-baskt-api; did you mean create-basket-api?');
});

test('A dry run returns the answer that would follow or the refusal of the call, and a read has none', async () => {
  const body = { email: 'nia@example.test', firstName: 'Nia', lastName: 'Ode' };
  const tried = await rehearsal.api('create-customer-api', { body, dryRun: true });
  const email: string | undefined = tried.answer?.email;
  expect([tried.possible, tried.status, email]).toEqual([true, 201, body.email]);
  expect(await rehearsal.events({ type: 'customer-registered' })).toEqual([]);
  const made = await rehearsal.api('create-basket-api', { body: BASKET, dryRun: false });
  expect(made.state).toBe('open');
  const params = { id: made.id, lineId: 'lin_none' };
  const refused = await rehearsal.call('remove-basket-line-api', { params, dryRun: true });
  const read = await rehearsal.call('GET', `/baskets/${made.id}?dryRun=true`);
  expect((await rehearsal.api('get-basket-api', { params: { id: made.id }, dryRun: false })).state).toBe('open');
  const byPath = await rehearsal.call('POST', '/baskets?dryRun=true', BASKET);
  expect([refused.status, read.status, byPath.ok && byPath.body.possible]).toEqual([404, 422, true]);
  await expect(rehearsal.api('remove-basket-line-api', { params, dryRun: true })).rejects.toMatchObject({ code: 'not_found' });
});

test('Events and objects have the types of their names', async () => {
  const basket = await rehearsal.api('create-basket-api', { body: BASKET });
  const subject = `basket/${basket.id}`;
  const [created] = await rehearsal.awaitEvents('basket-created', { subject });
  const [same] = await rehearsal.events({ type: 'com.unified-commerce.basket-created', subject });
  const channels: (typeof basket.channel | undefined)[] = [created?.data.object.channel, same?.data.object.channel];
  expect(channels).toEqual(['web', 'web']);
  expect((await rehearsal.object('basket', basket.id)).totals).toEqual(basket.totals);
});

test('A call ends at an answer that trickles for longer than its limit', async () => {
  const server = createServer((_request, response) => {
    const trickle = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(trickle));
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent();
  const gateway = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = clientOnAgent({ gateway, ...DEMO_CREDENTIALS, bodyMs: 200 }, agent);
  await expect(client.control('verify')).rejects.toThrow(`No answer came from the estate at ${gateway}: it does not answer in time.`);
  await agent.close();
  server.close();
});

test.each([
  ['nothing', (_request, _response) => undefined],
  ['the beginning of an answer', (_request, response) => response.writeHead(200).write('{')],
] satisfies [string, RequestListener][])('A call ends at a server that sends %s', async (_what, answer) => {
  await using silent = await serving(answer);
  await using client = createEstateClient({ gateway: silent.url, ...DEMO_CREDENTIALS });
  await expect(client.control('verify')).rejects.toThrow(`No answer came from the estate at ${silent.url}: it does not answer in time.`);
});

test('A call waits as long as the server answers /healthz', async () => {
  let signs = 0;
  let answerCall = (): void => undefined;
  await using patient = await serving((request, response) => {
    if (request.url !== '/healthz') answerCall = () => void response.end('{"now":"later"}');
    else {
      response.end('{}');
      if (++signs === 2) answerCall();
    }
  });
  await using client = createEstateClient({ gateway: patient.url, ...DEMO_CREDENTIALS });
  expect(await client.control('settle')).toEqual({ now: 'later' });
});
