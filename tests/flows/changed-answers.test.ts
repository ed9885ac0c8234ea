import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect } from '@jest/globals';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** A call whose headers and bytes are read as they come. */
function raw(rehearsal: TestRehearsal, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const authorization = `Bearer ${rehearsal.credentials.bearer}`;
  request(`${estate.gateway}${path}`, { headers: { authorization, ...headers } }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }));
  })
    .on('error', reject)
    .end();
  return promise;
}

const permitted = (change: string) => ({ kind: 'permitted', change });
const forbidden = (change: string) => ({ kind: 'forbidden', change });
const GET_ORDER = { api: 'get-order-api' };
const hitsOf = async (rehearsal: TestRehearsal) => (await rehearsal.faults()).map(({ name, hits }) => [name, hits]);

describe('Answers that a fault changes for clients', () => {
  test('A client gets the changed answer, the journal has it, and the stored order stays as it was', async (rehearsal) => {
    const { id } = await rehearsal.confirmed();
    const before = await rehearsal.order(id);
    await rehearsal.fault('total', { match: GET_ORDER, fault: forbidden('wrong-total'), times: 1 });
    const { body, headers } = await rehearsal.call('get-order-api', { params: { id } });
    expect(body.totals).not.toEqual(before.totals);
    expect(await rehearsal.faults()).toMatchObject([{ name: 'total', hits: 1, struck: [{ requestId: headers['x-request-id'] }] }]);
    const hop = (await rehearsal.journal()).find(({ faults }) => faults.includes('total'));
    expect([hop.api, hop.response.totals]).toEqual(['get-order-api', body.totals]);
    expect(await rehearsal.order(id)).toEqual(before);
  });

  test('A call between applications gets the original of an answer that clients get changed', async (rehearsal) => {
    await rehearsal.fault('money', { match: { application: 'payment-hub' }, fault: forbidden('wrong-minor-units') });
    const order = await rehearsal.draft();
    const { body } = await rehearsal.call('authorize-payment-api', {
      body: { orderId: order.id, tender: { type: 'card', token: 'tok_visa' } },
    });
    expect(body.amount.amount).toBe(order.totals.total.amount * 100);
    expect(await rehearsal.api('confirm-order-api', { params: { id: order.id } })).toMatchObject({
      state: 'confirmed',
      payments: [{ amount: order.totals.total }],
    });
    await rehearsal.noFaults();
    expect((await rehearsal.api('get-order-api', { params: { id: order.id } })).totals).toEqual(order.totals);
  });

  test('Explain does not blame a change that only clients get', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.fault('money', { match: { application: 'payment-hub' }, fault: forbidden('wrong-minor-units') });
    await rehearsal.fault('stale', { match: { event: 'order-confirmed' }, fault: forbidden('previous-state') });
    const text = JSON.stringify(await rehearsal.control('explain-object', { params: { type: 'order', id } }));
    expect(text).not.toMatch(/money|stale/);
  });

  test('A repeat with the same key gets the stored answer without the change', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const repeat = () =>
      rehearsal.call(
        'POST',
        '/payments/authorizations',
        { orderId: id, tender: { type: 'card', token: 'tok_visa' } },
        { headers: { 'idempotency-key': 'k' } },
      );
    await rehearsal.fault('member', { match: { api: 'authorize-payment-api' }, fault: permitted('unknown-member'), times: 1 });
    const [first, second] = [await repeat(), await repeat()];
    expect(first.body.addedLater).toEqual({ since: 'a later version', values: [1, 2] });
    const { addedLater: _added, ...original } = first.body;
    expect(second.body).toMatchObject({ id: original.id, state: original.state });
    expect(second.body.addedLater).toBeUndefined();
  });

  test('An answer that the change does not apply to does not count, and skip counts the calls that pass', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.fault('state', { match: GET_ORDER, fault: forbidden('previous-state'), times: 1 });
    expect((await rehearsal.order(id)).state).toBe('draft');
    expect(await hitsOf(rehearsal)).toEqual([['state', 0]]);
    await rehearsal.fault('state', { match: GET_ORDER, fault: permitted('unknown-member'), skip: 1, times: 1 });
    const added: boolean[] = [];
    for (let n = 0; n < 3; n++) added.push('addedLater' in (await rehearsal.order(id)));
    expect([added, await hitsOf(rehearsal)]).toEqual([[false, true, false], [['state', 1]]]);
  });

  test('A refusal keeps its body, and its Retry-After becomes a date', async (rehearsal) => {
    await rehearsal.fault('member', { match: GET_ORDER, fault: permitted('unknown-member') });
    await rehearsal.fault('date', { match: GET_ORDER, fault: permitted('retry-after-date') });
    expect((await raw(rehearsal, '/orders/ord_none')).headers['retry-after']).toBeUndefined();
    await rehearsal.down('oms');
    const { status, headers, bytes } = await raw(rehearsal, '/orders/ord_none');
    const until = Date.parse(String(headers['retry-after']));
    expect([status, String(headers['retry-after'])]).toEqual([503, new Date(until).toUTCString()]);
    expect(until).toBeGreaterThan(Date.now() - 60_000);
    expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'dependency_unavailable' });
    expect(await hitsOf(rehearsal)).toEqual([
      ['member', 0],
      ['date', 1],
      ['down', 1],
    ]);
  });

  test('A body is compressed for a client that accepts it, and is sent in chunks without its length', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    const plain = await raw(rehearsal, `/orders/${id}`);
    await rehearsal.fault('zip', { match: GET_ORDER, fault: permitted('compressed-body') });
    for (const accepted of ['identity', 'br, gzip;q=0', 'gzip;q=0.0']) {
      expect((await raw(rehearsal, `/orders/${id}`, { 'accept-encoding': accepted })).bytes).toEqual(plain.bytes);
    }
    const zipped = await raw(rehearsal, `/orders/${id}`, { 'accept-encoding': 'br, gzip;q=0.5' });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(zipped.bytes.length) });
    expect(String(zipped.headers['vary'])).toContain('Accept-Encoding');
    expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes);
    expect(await hitsOf(rehearsal)).toEqual([['zip', 1]]);
    await rehearsal.noFaults();
    await rehearsal.fault('chunks', { match: GET_ORDER, fault: permitted('chunked-body') });
    const chunked = await raw(rehearsal, `/orders/${id}`);
    expect([chunked.headers['content-length'], chunked.headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
    expect(chunked.bytes).toEqual(plain.bytes);
  });

  test('The smallest pages lead to every item, and a client whose limit is one gets no smaller page', async (rehearsal) => {
    const made = [await rehearsal.draft(), await rehearsal.draft(), await rehearsal.draft()].map(({ id }) => id);
    await rehearsal.fault('page', { match: { api: 'list-orders-api' }, fault: permitted('smallest-page') });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await rehearsal.api('list-orders-api', { query: { state: 'draft', cursor } });
      expect(page.items.length).toBeLessThan(2);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(made);
    const before = await hitsOf(rehearsal);
    await rehearsal.api('list-orders-api', { query: { state: 'draft', limit: 1 } });
    expect(await hitsOf(rehearsal)).toEqual(before);
  });

  test('A page lacks an order that Get Order returns', async (rehearsal) => {
    const made = [await rehearsal.draft(), await rehearsal.draft()].map(({ id }) => id);
    await rehearsal.fault('short', { match: { api: 'list-orders-api' }, fault: forbidden('missing-item') });
    const { items } = await rehearsal.api('list-orders-api', { query: { state: 'draft' } });
    const missing = made.filter((id) => !items.some((order) => order.id === id));
    expect(missing).toHaveLength(1);
    for (const id of missing) expect(await rehearsal.order(id)).toMatchObject({ id });
  });

  test('A page of HTML comes with status 200, and broken JSON with its own length', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.fault('html', { match: GET_ORDER, fault: forbidden('html-body'), times: 1 });
    const page = await raw(rehearsal, '/orders/ord_none');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.bytes.toString()).toContain('<!doctype html>');
    await rehearsal.fault('html', { match: GET_ORDER, fault: forbidden('broken-json'), times: 1 });
    const broken = await raw(rehearsal, `/orders/${id}`);
    expect([broken.status, broken.headers['content-length']]).toEqual([200, String(broken.bytes.length)]);
    expect(() => JSON.parse(broken.bytes.toString())).toThrow(SyntaxError);
    const hops = (await rehearsal.journal()).filter(({ faults }) => faults.includes('html'));
    expect(hops.map(({ response }) => response)).toEqual([page.bytes.toString(), broken.bytes.toString()]);
  });

  test('Times with an offset are accepted in a request', async (rehearsal) => {
    const { id } = await rehearsal.draft();
    await rehearsal.fault('times', { match: GET_ORDER, fault: permitted('timestamp-form') });
    const { createdAt } = await rehearsal.order(id);
    expect(createdAt).toMatch(/\.\d{6}\+05:30$/);
    const { items } = await rehearsal.api('list-orders-api', { query: { placedAfter: createdAt } });
    expect(items.map((order) => order.id)).toEqual([id]);
  });
});

test('In rehearsals with one seed, the same calls get the same changes', async () => {
  const answers = async () => {
    await using rehearsal = withSteps(await openRehearsal(estate.gateway, {}, { seed: 'drift', startsAt: '2026-03-01T10:00:00Z' }));
    await rehearsal.fault('absent', { match: GET_ORDER, fault: permitted('absent-member') });
    const { id } = await rehearsal.draft();
    const found: unknown[] = [];
    for (let n = 0; n < 5; n++) found.push(await rehearsal.order(id));
    return found;
  };
  expect(await answers()).toEqual(await answers());
});

describe('Changes that are refused when they are set', () => {
  test.each<[string, object, object, string, string]>([
    ['an unknown change', GET_ORDER, permitted('nothing'), '/fault/change', 'unknown-member'],
    ['a forbidden change as a permitted one', GET_ORDER, permitted('wrong-total'), '/fault/change', 'unknown-member'],
    ['a total of an answer without amounts', { api: 'get-customer-api' }, forbidden('wrong-total'), '/fault/change', 'previous-state'],
    ['a page of a single object', GET_ORDER, permitted('smallest-page'), '/fault/change', 'unknown-member'],
    ['a missing answer', GET_ORDER, forbidden('missing-event'), '/fault/change', 'wrong-total'],
    ['a broken event', { event: 'order-confirmed' }, forbidden('broken-json'), '/fault/change', 'missing-event'],
    ['a call between applications', { api: 'get-stock' }, permitted('unknown-member'), '/fault/change', 'no client'],
    ['the carrier, whose webhooks go to the estate', { webhook: 'carrier' }, permitted('unknown-member'), '/fault/change', 'no client'],
    ['an application as caller', { ...GET_ORDER, caller: 'pos' }, permitted('unknown-member'), '/match/caller', 'outside'],
    ['no change', GET_ORDER, { kind: 'permitted' }, '/fault/change', ''],
  ])('A fault of %s is refused with the remedy', async (rehearsal, _what, match, fault, pointer, remedy) => {
    const { status, body } = await rehearsal.call('PUT', '/_control/faults/wrong', { match, fault }, { as: 'admin' });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
    expect(body.errors[0].detail).toContain(remedy);
    expect(await rehearsal.faults()).toEqual([]);
  });
});

describe('A rehearsal with a forbidden change', () => {
  test('Verify names a forbidden fault in place of invariants, even when the fault was deleted, until a reset', async (rehearsal) => {
    await rehearsal.confirmed();
    await rehearsal.fault('tolerant', { match: GET_ORDER, fault: permitted('unknown-member') });
    expect(await rehearsal.control('verify')).toMatchObject({ holds: true, forbidden: [] });
    await rehearsal.fault('total', { match: GET_ORDER, fault: forbidden('wrong-total') });
    const unverified = { holds: false, settled: true, invariants: [], forbidden: [{ name: 'total', change: 'wrong-total' }] };
    expect(await rehearsal.control('verify')).toMatchObject(unverified);
    await rehearsal.noFaults();
    expect(await rehearsal.control('verify')).toMatchObject(unverified);
    await rehearsal.control('reset-rehearsal');
    expect(await rehearsal.control('verify')).toMatchObject({ holds: true, forbidden: [] });
  });

  test('A fork carries the forbidden faults of its world, deleted ones included, and keeps their names when they are deleted', async (rehearsal) => {
    await rehearsal.fault('deleted', { match: GET_ORDER, fault: forbidden('broken-json') });
    await rehearsal.noFaults();
    await rehearsal.fault('total', { match: GET_ORDER, fault: forbidden('wrong-total') });
    await using fork = await openRehearsal(estate.gateway, {}, { from: { rehearsal: rehearsal.name } });
    const unverified = { holds: false, forbidden: [{ name: 'deleted' }, { name: 'total' }] };
    expect(await fork.control('verify')).toMatchObject(unverified);
    await fork.control('delete-faults');
    expect(await fork.control('verify')).toMatchObject(unverified);
  });

  test('A rehearsal from a snapshot remembers the forbidden faults of its world, deleted ones included, even after a reset', async (rehearsal) => {
    await rehearsal.fault('deleted', { match: GET_ORDER, fault: forbidden('broken-json') });
    await rehearsal.noFaults();
    await rehearsal.fault('total', { match: GET_ORDER, fault: forbidden('wrong-total') });
    const { name } = rehearsal;
    await rehearsal.control('save-snapshot', { params: { name } });
    await using opened = await openRehearsal(estate.gateway, {}, { from: { snapshot: name } });
    const unverified = { holds: false, forbidden: [{ name: 'deleted', change: 'broken-json' }, { name: 'total' }] };
    await opened.control('delete-faults');
    expect(await opened.control('verify')).toMatchObject(unverified);
    await opened.control('put-webhook', { params: { name: 'mine' }, body: { url: 'http://127.0.0.1:9/events' } });
    await opened.control('reset-rehearsal');
    expect(await opened.control('verify')).toMatchObject(unverified);
    expect((await opened.control('list-webhooks')).items).toMatchObject([{ name: 'mine' }]);
    await rehearsal.control('delete-snapshot', { params: { name } });
  });
});
