import { afterAll, expect, test } from '@jest/globals';
import { request } from 'undici';
import { type ControlOperation, isStream } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { anObservedEstate } from '../observability/observed-estate.ts';
import { clientOf } from '../redis/replicas/running-replicas.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

const anybody = clientOf(estate.gateway);
afterAll(anybody.close);

const operations: readonly ControlOperation[] = Object.values(controlOperations);
const reaching = operations.filter(({ reach }) => reach !== undefined);

async function controlTokenOf(rehearsal: string, gateway = estate.gateway): Promise<string> {
  const { body } = await request(`${gateway}/oauth/token`, {
    method: 'POST',
    headers: {
      'x-rehearsal': rehearsal,
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from('demo-client:demo-client-secret').toString('base64')}`,
    },
    body: 'grant_type=client_credentials&scope=control',
  });
  return ((await body.json()) as { access_token: string }).access_token;
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly gateway?: string;
}

async function sendAs(token: string, sent: Sent): Promise<[status: number, code: unknown]> {
  const { status, text } = await answerTo(token, sent);
  return [status, text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined];
}

async function answerTo(
  token: string,
  { path, method = 'GET', headers = {}, gateway = estate.gateway }: Sent,
): Promise<{ status: number; text: string }> {
  const hasBody = method === 'POST' || method === 'PUT';
  const { statusCode, body } = await request(gateway + path, {
    method: method as 'GET',
    headers: { ...headers, authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) },
    body: hasBody ? '{}' : null,
  });
  return { status: statusCode, text: await body.text() };
}

test('A control token of a rehearsal reaches neither another rehearsal nor what all rehearsals share', async () => {
  await using mine = await newRehearsal();
  await using other = await newRehearsal();
  const token = await controlTokenOf(mine.name);
  for (const { id, method, path, reach } of operations) {
    const sent = { method, path: path.replaceAll(/\{[^}]*\}/g, other.name) };
    const inOther = await sendAs(token, { ...sent, headers: { 'x-rehearsal': other.name } });
    expect([id, ...inOther]).toEqual([id, 403, 'forbidden']);
    if (reach !== undefined) expect([id, ...(await sendAs(token, sent))]).toEqual([id, 403, 'forbidden']);
  }
  expect(await other.control('read-clock')).toMatchObject({ flowing: expect.any(Boolean) });
});

test('Metrics, which count all rehearsals, are refused to a control token of a rehearsal', async () => {
  await using observed = await anObservedEstate();
  const { gateway } = observed.running;
  const token = await controlTokenOf('default', gateway);
  expect(await sendAs(token, { path: '/metrics', gateway })).toEqual([403, 'forbidden']);
  expect(await sendAs(ADMIN, { path: '/metrics', gateway })).toEqual([200, undefined]);
});

test('A control token of a rehearsal reads, exports and deletes its own rehearsal', async () => {
  const mine = await newRehearsal();
  const token = await controlTokenOf(mine.name);
  const own = `/_control/rehearsals/${mine.name}`;
  expect(await sendAs(token, { path: '/_control/clock' })).toEqual([200, undefined]);
  expect(await sendAs(token, { path: own })).toEqual([200, undefined]);
  expect(await sendAs(token, { path: `${own}/snapshot` })).toEqual([200, undefined]);
  expect(await sendAs(token, { path: own, method: 'DELETE' })).toEqual([204, undefined]);
});

const MEMBERS: Readonly<Record<string, string>> = { '{type}': 'any', '{name}': 'basket' };

test('No answer to a control token of a rehearsal names the rehearsal that has an object', async () => {
  await using mine = await newRehearsal();
  await using other = await newRehearsal();
  const { id } = await other.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
  const token = await controlTokenOf(mine.name);
  const reads = operations.filter((operation) => operation.method === 'GET' && operation.reach === undefined && !isStream(operation));
  const naming: string[] = [];
  for (const { path } of reads) {
    const { text } = await answerTo(token, { path: path.replaceAll(/\{[^}]*\}/g, (member) => MEMBERS[member] ?? id) });
    if (text.includes(other.name)) naming.push(path);
  }
  expect(naming).toEqual([]);
  for (const type of ['any', 'basket']) {
    const path = `/_control/explanations/${type}/${id}`;
    expect(await answerTo(token, { path })).toMatchObject({ status: 404, text: expect.not.stringContaining(other.name) });
    const { body } = await anybody.call('GET', path, undefined, { as: 'admin', headers: { 'x-rehearsal': mine.name } });
    expect(body.detail).toContain(other.name);
  }
});

/** The text of a stream until it matches. */
async function streamed(bearer: string, { topics, until }: { readonly topics: string; readonly until: RegExp }): Promise<string> {
  const stop = new AbortController();
  const { body } = await request(`${estate.gateway}/_control/stream?topics=${topics}`, {
    headers: { authorization: `Bearer ${bearer}` },
    signal: stop.signal,
  });
  let text = '';
  for await (const piece of body) {
    text += piece;
    if (until.test(text)) break;
  }
  stop.abort();
  return text;
}

/** The first runs that a stream reports. */
async function streamedRuns(bearer: string): Promise<readonly { readonly rehearsal?: string }[]> {
  const text = await streamed(bearer, { topics: 'runs', until: /^data: .*\n\n/m });
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
}

test('The stream of a control token of a rehearsal has no frame for a run of another rehearsal', async () => {
  await using mine = await newRehearsal();
  const stream = streamed(await controlTokenOf(mine.name), { topics: 'faults,runs', until: /"revision":1/ });
  const { id } = await anybody.control('start-run', { body: { scenario: 'digital-order' } });
  await eventually('the run passes', async () => (await anybody.control('read-run', { params: { id } })).state === 'passed');
  await anybody.control('delete-run', { params: { id } });
  await mine.fault('last', { match: { application: 'oms' }, fault: { kind: 'latency', ms: 1 } });
  expect((await stream).match(/^event: runs\n.*\n?data: .*$/gm)).toHaveLength(1);
});

test('The stream of a control token of a rehearsal reports no run of another rehearsal', async () => {
  await using mine = await newRehearsal();
  const { id } = await anybody.control('start-run', { body: { scenario: 'digital-order' } });
  const { rehearsal = '' } = await eventually('the run begins', async () => {
    const run = await anybody.control('read-run', { params: { id } });
    return run.rehearsal !== undefined && run;
  });
  expect(await streamedRuns(await controlTokenOf(mine.name))).toEqual([]);
  expect(await streamedRuns(await controlTokenOf(rehearsal))).toMatchObject([{ id }]);
  await eventually('the run passes', async () => (await anybody.control('read-run', { params: { id } })).state === 'passed');
  await anybody.control('delete-run', { params: { id } });
});

/** Members of an operation that name a rehearsal or a snapshot. */
const NAMING = /"(?:rehearsal|snapshot)":/;

test('Each operation that names a rehearsal, or that runs in none, declares its reach', () => {
  const isOutside = ({ path }: ControlOperation) => /^\/_control\/(?:rehearsals|snapshots|scenarios|runs|checks|diff)\b/.test(path);
  const naming = ({ request: body, query }: ControlOperation) =>
    [body, query].some((schema) => NAMING.test(JSON.stringify(schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }))));
  const ids = (all: readonly ControlOperation[]) => all.map(({ id }) => id).toSorted();
  expect(ids(reaching)).toEqual(ids(operations.filter((operation) => isOutside(operation) || naming(operation))));
});
