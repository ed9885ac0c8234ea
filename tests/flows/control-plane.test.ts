import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

const sim = (rehearsal: TestRehearsal, method: string, path: string, body?: unknown) =>
  rehearsal.call(method, `/_control${path}`, body, { as: 'admin', headers: { 'x-rehearsal': rehearsal.name } });
const aBasket = (rehearsal: TestRehearsal, headers: Record<string, string> = {}) =>
  rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] }, headers });
const readAda = (rehearsal: TestRehearsal) => rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } });
const reserveMug = (rehearsal: TestRehearsal, headers: Record<string, string> = {}) =>
  rehearsal.call('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] }, headers });
async function confirmedOrder(rehearsal: TestRehearsal) {
  const order = await rehearsal.draft({ qty: 1 });
  await rehearsal.authorisation(order.id);
  await rehearsal.confirmed(order.id);
  return order;
}

const AT_CRM = { match: { application: 'crm' } };
const AT_RESERVE = { match: { api: 'reserve-inventory-api' } };

describe('Waiting for events', () => {
  test('answers as soon as enough are on the bus, with the position to continue from', async () => {
    await using rehearsal = await newRehearsal();
    const waiting = sim(rehearsal, 'POST', '/events/wait', { type: 'basket-created', count: 2, timeoutMs: 10_000 });
    const baskets = [await aBasket(rehearsal), await aBasket(rehearsal)];
    const { status, body } = await waiting;
    expect([status, body.found]).toEqual([200, true]);
    expect(body.items.map(({ event }: { event: { subject: string } }) => event.subject)).toEqual(baskets.map(({ id }) => `basket/${id}`));
    const third = await aBasket(rehearsal);
    const more = await sim(rehearsal, 'POST', '/events/wait', { type: 'basket-created', after: body.next, timeoutMs: 10_000 });
    expect(more.body.items).toMatchObject([{ event: { subject: `basket/${third.id}` } }]);
  });

  test('answers the events so far at the timeout', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await aBasket(rehearsal);
    const asked = { type: 'basket-created', subject: `basket/${id}`, count: 2, timeoutMs: 50 };
    const { status, body } = await sim(rehearsal, 'POST', '/events/wait', asked);
    expect([status, body.found, body.items.length]).toEqual([200, false, 1]);
  });
});

test('Waiting for events ends with the rehearsal: a reset is told', async () => {
  await using rehearsal = await newRehearsal();
  const waiting = sim(rehearsal, 'POST', '/events/wait', { type: 'order-confirmed', timeoutMs: 60_000 });
  // The wait has begun when it is answered before its time.
  await sim(rehearsal, 'POST', '/events/wait', { type: 'order-confirmed', timeoutMs: 50 });
  await sim(rehearsal, 'POST', '/reset');
  expect(await waiting).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal' } });
});

test('A method that the control plane has not is refused with all methods that it has', async () => {
  await using rehearsal = await newRehearsal();
  const { status, headers } = await sim(rehearsal, 'POST', '/clock', {});
  expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, PUT']);
  expect((await sim(rehearsal, 'HEAD', '/clock')).status).toBe(200);
});

test('A body that is not JSON is refused with 415 and not treated as absent', async () => {
  await using rehearsal = await newRehearsal();
  const reply = await rehearsal.call('POST', '/_control/rehearsals', '{"name":"mine"}', {
    as: 'admin',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([reply.status, reply.body.code]).toEqual([415, 'unsupported_media_type']);
});

describe('A number in a query', () => {
  const NOT_DECIMAL = ['0x1', '0b1', '1.', '%2B1', '1e1', '1%20', '%201', '', '-1', '1.0'];

  test.each([
    ...['/_control/events?limit=', '/_control/events?after=', '/_control/journal?limit='],
    ...['/customers?limit=', '/inventory/mug-blue/availability?qty='],
  ])('is refused by %s unless it is written in decimal digits', async (path) => {
    await using rehearsal = await newRehearsal();
    await aBasket(rehearsal);
    await rehearsal.settle();
    const ask = (number: string) =>
      path.startsWith('/_control')
        ? sim(rehearsal, 'GET', `${path.slice('/_control'.length)}${number}`)
        : rehearsal.call('GET', `${path}${number}`);
    for (const number of NOT_DECIMAL) expect([number, (await ask(number)).status]).toEqual([number, 422]);
    expect((await ask('1')).status).toBe(200);
  });
});

describe('Reading an object', () => {
  test('succeeds for every type of this version', async () => {
    await using rehearsal = await newRehearsal();
    const { id, version } = await aBasket(rehearsal);
    expect(await rehearsal.object('basket', id)).toMatchObject({ id, version, state: 'open' });
    expect(await rehearsal.object('customer', 'cus_mallory')).toMatchObject({ state: 'blocked' });
    expect(await rehearsal.object('loyalty-account', 'loy_ada')).toMatchObject({ pointsBalance: 500 });
    await reserveMug(rehearsal);
    expect(await rehearsal.object('inventory-item', 'mug-blue')).toEqual(
      await rehearsal.api('get-inventory-api', { params: { sku: 'mug-blue' } }),
    );
  });

  test.each([
    ['teapot', 'any', 422, 'validation_failed'],
    ['order', 'ord_none', 404, 'not_found'],
    ['inventory-item', 'no-such-sku', 404, 'not_found'],
  ])('of type %s with id %s answers %i %s', async (type, id, status, code) => {
    await using rehearsal = await newRehearsal();
    expect(await sim(rehearsal, 'GET', `/objects/${type}/${id}`)).toMatchObject({ status, body: { code } });
  });
});

describe('A fault', () => {
  test.each([
    ['an unknown application', { match: { application: 'tills' }, fault: { kind: 'outage' } }, '/match/application'],
    ['an unknown api', { match: { api: 'capture' }, fault: { kind: 'outage' } }, '/match/api'],
    [
      'an api of another application',
      { match: { application: 'oms', api: 'capture-payment-api' }, fault: { kind: 'outage' } },
      '/match/application',
    ],
    ['a call that only the control plane makes', { match: { api: 'count-stock' }, fault: { kind: 'outage' } }, '/match/api'],
    [
      'a subject that its event never has',
      { match: { event: 'order-confirmed', subject: 'payment/pay_1' }, fault: { kind: 'withhold' } },
      '/match/subject',
    ],
    ['nothing', { match: {}, fault: { kind: 'outage' } }, '/match'],
    ['an unknown kind', { ...AT_CRM, fault: { kind: 'flood' } }, '/fault/kind'],
    ['an unknown code', { ...AT_CRM, fault: { kind: 'status', status: 409, code: 'nope' } }, '/fault/code'],
    ['a code of another status', { ...AT_CRM, fault: { kind: 'status', status: 409, code: 'not_found' } }, '/fault/code'],
    ['a code of a status that has none', { ...AT_CRM, fault: { kind: 'status', status: 418, code: 'not_found' } }, '/fault/code'],
    ['a status that is no refusal', { ...AT_CRM, fault: { kind: 'status', status: 200 } }, '/fault/status'],
  ])('for %s is refused by PUT /_control/faults', async (_what, rule, pointer) => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await sim(rehearsal, 'PUT', '/faults/wrong', rule);
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer]);
    expect(await rehearsal.faults()).toEqual([]);
  });

  test('with a wrong code is refused with the codes of its status', async () => {
    await using rehearsal = await newRehearsal();
    const rule = { ...AT_CRM, fault: { kind: 'status', status: 412, code: 'nope' } };
    expect((await sim(rehearsal, 'PUT', '/faults/wrong', rule)).body.detail).toContain('version_mismatch');
  });

  test('may name both application and api when they belong together', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.down({ application: 'crm', api: 'get-customer-api' });
    expect((await readAda(rehearsal)).status).toBe(503);
  });

  test('of kind outage strikes the configured number of times, counts its hits, and answers Retry-After', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('down', { ...AT_CRM, fault: { kind: 'outage' }, times: 2 });
    const replies = [await readAda(rehearsal), await readAda(rehearsal), await readAda(rehearsal)];
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(replies[0]).toMatchObject({
      headers: { 'retry-after': '1' },
      body: { code: 'dependency_unavailable', dependency: 'crm', retryable: true },
    });
    expect(await rehearsal.faults()).toMatchObject([{ name: 'down', hits: 2 }]);
  });

  test('beyond the two hundredth is refused, and one of them can be replaced', async () => {
    await using rehearsal = await newRehearsal();
    const rule = { ...AT_CRM, fault: { kind: 'outage' } };
    for (let n = 0; n < 200; n++) await rehearsal.fault(`f${n}`, { ...AT_CRM, fault: { kind: 'outage' }, times: 1 });
    expect(await sim(rehearsal, 'PUT', '/faults/another', rule)).toMatchObject({
      status: 409,
      body: { code: 'too_many_faults', retryable: false, detail: expect.stringContaining('delete one') },
    });
    expect((await sim(rehearsal, 'PUT', '/faults/f7', rule)).status).toBe(200);
  });

  test('of kind status refuses with that status before the call has an effect', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('broken', { ...AT_RESERVE, fault: { kind: 'status', status: 500 } });
    expect((await reserveMug(rehearsal)).status).toBe(500);
    expect(await rehearsal.events()).toEqual([]);
  });

  test.each([
    [503, undefined, 'dependency_unavailable', '1'],
    [429, 'rate_limited', 'rate_limited', '1'],
    [503, 'contention', 'contention', '1'],
    [409, 'clock_busy', 'clock_busy', '1'],
    [409, 'idempotency_in_progress', 'idempotency_in_progress', '1'],
    [503, 'store_full', 'store_full', '1'],
    [504, undefined, 'dependency_timeout', '1'],
    [409, undefined, 'invalid_state_transition', undefined],
    [500, undefined, 'internal_error', undefined],
  ])('of kind status %s (%s) answers Retry-After if it is retryable', async (status, given, code, retryAfter) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('broken', { ...AT_CRM, fault: { kind: 'status', status, ...(given && { code: given }) } });
    const { body, headers } = await readAda(rehearsal);
    expect([body.code, body.retryable, headers['retry-after']]).toEqual([code, retryAfter !== undefined, retryAfter]);
  });

  test('of kind latency delays the answer', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('slow', { ...AT_CRM, fault: { kind: 'latency', ms: 300 } });
    const started = performance.now();
    expect((await readAda(rehearsal)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
  });

  test.each([
    ['timeout', 504, 'dependency_timeout'],
    ['reset', 502, 'dependency_error'],
  ])('of kind lost-response (%s) performs the call; the same key gets the real answer', async (as, status, code) => {
    await using rehearsal = await newRehearsal();
    const key = { 'idempotency-key': 'lost' };
    await rehearsal.fault('lost', { ...AT_RESERVE, fault: { kind: 'lost-response', as }, times: 1 });
    expect(await reserveMug(rehearsal, key)).toMatchObject({ status, body: { code } });
    const again = await reserveMug(rehearsal, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    const reservations = await rehearsal.events({ type: 'reservation-created' });
    expect(reservations.map(({ subject }) => subject)).toEqual([`reservation/${again.body.id}`]);
  });

  test('of kind drop breaks the connection before the call has an effect', async () => {
    await using rehearsal = await newRehearsal();
    const key = { 'idempotency-key': 'dropped' };
    await rehearsal.fault('cut', { ...AT_RESERVE, fault: { kind: 'drop' }, times: 1 });
    expect(await reserveMug(rehearsal, key)).toMatchObject({ status: 502, body: { code: 'dependency_error' } });
    expect(await rehearsal.events()).toEqual([]);
    const hops = (await rehearsal.journal()).map(({ application, status, faults }) => [application, status, faults]);
    expect(hops).toEqual([
      ['sim', 0, ['cut']],
      ['gateway', 502, []],
    ]);
    const again = await reserveMug(rehearsal, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('with a probability strikes in the sequence of its seed', async () => {
    const struckIn = async (seed: string): Promise<boolean[]> => {
      await using rehearsal = await newRehearsal();
      await rehearsal.fault('flaky', { ...AT_CRM, fault: { kind: 'outage' }, probability: 0.4, seed, times: 5 });
      const struck: boolean[] = [];
      for (let n = 0; n < 40; n++) struck.push((await readAda(rehearsal)).status === 503);
      expect(await rehearsal.faults()).toMatchObject([{ hits: 5, probability: 0.4, seed }]);
      return struck;
    };
    const first = await struckIn('monday');
    expect(first.filter(Boolean)).toHaveLength(5);
    expect(first.slice(0, 5)).not.toEqual(Array(5).fill(true));
    expect(await struckIn('monday')).toEqual(first);
    expect(await struckIn('tuesday')).not.toEqual(first);
  });

  test.each([
    ['removed', (rehearsal: TestRehearsal) => rehearsal.noFaults()],
    ['set again', (rehearsal: TestRehearsal) => rehearsal.fault('together', { ...AT_CRM, fault: { kind: 'barrier', parties: 9 } })],
    ['reset with its rehearsal', (rehearsal: TestRehearsal) => sim(rehearsal, 'POST', '/reset')],
  ])('of kind barrier lets waiting requests go on when it is %s', async (_name, release) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('together', { ...AT_CRM, fault: { kind: 'barrier', parties: 3 } });
    const waiting = [1, 2].map(() => rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } }));
    await eventually('both wait', async () => (await rehearsal.faults()).some(({ hits }) => hits === 2));
    await release(rehearsal);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('of kind barrier releases the requests when all have arrived', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('together', { ...AT_CRM, fault: { kind: 'barrier', parties: 3 } });
    let answered = 0;
    const two = [1, 2].map(() => readAda(rehearsal).finally(() => answered++));
    while ((await rehearsal.faults())[0]?.hits !== 2) await rehearsal.now();
    expect(answered).toBe(0);
    const all = await Promise.all([...two, readAda(rehearsal)]);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('A correlation id', () => {
  test('is returned, and is on every hop and every event of the request', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await aBasket(rehearsal);
    const reply = await rehearsal.call('checkout-basket-api', {
      params: { id },
      body: { shippingAddress: { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' } },
      headers: { 'x-correlation-id': 'my-checkout' },
    });
    expect([reply.status, reply.headers['x-correlation-id']]).toEqual([200, 'my-checkout']);

    const { complete, items } = (await sim(rehearsal, 'GET', '/journal?correlationId=my-checkout')).body;
    expect(complete).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: a journal record is looked into freely
    const hops = items as any[];
    expect(new Set(hops.map(({ application }) => application))).toEqual(
      new Set(['ecommerce-platform', 'crm', 'loyalty-platform', 'promotion-engine', 'sim', 'inventory-service']),
    );
    expect(hops.filter(({ parentId }) => parentId === undefined).map(({ api }) => api)).toEqual(['checkout-basket-api']);
    const byId = new Map(hops.map((hop) => [hop.requestId, hop]));
    for (const { requestId, parentId, correlationId } of hops) {
      expect(correlationId).toBe('my-checkout');
      if (parentId !== undefined) expect(byId.get(parentId).calls).toContain(requestId);
    }

    const events = await rehearsal.events({ correlationId: 'my-checkout' });
    expect(events.map(({ type }) => type.replace('com.unified-commerce.', ''))).toEqual([
      'inventory-reserved',
      'reservation-created',
      'checkout-started',
    ]);
    for (const { causationid } of events) expect(byId.has(causationid)).toBe(true);
  });

  test('is generated when none is sent, and is on refusals as well', async () => {
    await using rehearsal = await newRehearsal();
    const made = await readAda(rehearsal);
    expect(made.headers['x-correlation-id']).toMatch(/^req_/);
    expect(await rehearsal.journal(String(made.headers['x-correlation-id']))).toMatchObject([{ api: 'get-customer-api', status: 200 }]);
    const refused = await rehearsal.call('PUT', '/orders', undefined, { headers: { 'x-correlation-id': 'mine' } });
    expect([refused.status, refused.headers['allow'], refused.headers['x-correlation-id']]).toEqual([405, 'POST', 'mine']);
  });
});

test('An event has exactly the documented members', async () => {
  await using rehearsal = await newRehearsal();
  const { id } = await aBasket(rehearsal, { 'x-correlation-id': 'mine' });
  await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
  const [created, changed] = await rehearsal.events({ subject: `basket/${id}`, ext: true });
  expect(created).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    source: 'urn:uc:app:ecommerce-platform',
    type: 'com.unified-commerce.basket-created',
    subject: `basket/${id}`,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    datacontenttype: 'application/json',
    dataschema: 'urn:uc:schema:basket-created:1',
    partitionkey: id,
    aggregateversion: 1,
    rehearsal: rehearsal.name,
    world: rehearsal.world,
    correlationid: 'mine',
    causationid: expect.stringMatching(/^req_/),
    classification: 'created',
    data: { object: expect.objectContaining({ id, version: 1, state: 'open' }) },
  });
  expect(changed).toMatchObject({
    type: 'com.unified-commerce.ext.basket-changed',
    aggregateversion: 2,
    classification: 'updated',
    data: { previousState: 'open', object: { version: 2, state: 'open' } },
  });
  expect(changed.data.object).toEqual(await rehearsal.object('basket', id));
});

test('A refusal is a problem with exactly the documented members', async () => {
  await using rehearsal = await newRehearsal();
  const { status, headers, body } = await rehearsal.call('get-order-api', { params: { id: 'ord_none' } });
  expect([status, headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
  expect(body).toEqual({
    type: '/problems/not_found',
    title: 'Not found',
    status: 404,
    detail: expect.stringContaining('ord_none'),
    instance: '/orders/ord_none',
    code: 'not_found',
    objectType: 'order',
    id: 'ord_none',
    retryable: false,
  });
});

describe('A lost answer', () => {
  test.each<Record<string, string>>([{}, { 'idempotency-key': 'lost' }])('may be a refusal, with the headers %j', async (headers) => {
    await using rehearsal = await newRehearsal();
    const { id } = await aBasket(rehearsal);
    const checkout = () => rehearsal.call('checkout-basket-api', { params: { id }, body: { couponCodes: ['NO-SUCH-CODE'] }, headers });
    const refused = await checkout();
    expect(refused.status).toBe(422);
    await rehearsal.fault('lost', { match: { api: 'checkout-basket-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const lost = await checkout();
    expect([lost.status, lost.body.code]).toEqual([504, 'dependency_timeout']);
    expect(lost.body.detail).toBe('ecommerce-platform answered, and the answer was lost (fault lost).');
    expect((await checkout()).status).toBe(refused.status);
  });
});

describe('A progression', () => {
  test('that is set again is told to its application again, which may not have heard of it', async () => {
    await using rehearsal = await newRehearsal();
    const heard = async () =>
      (await rehearsal.client.control('read-journal')).items.map(({ api }) => api).filter((api) => api.startsWith('apply-'));
    for (let times = 0; times < 2; times++)
      await rehearsal.client.control('set-progression', { body: { warehouse: 'manual', label: 'auto' } });
    expect(await heard()).toEqual(['apply-warehouse-progression', 'apply-warehouse-progression']);
  });
});

describe('Parked work', () => {
  test('that is redriven and fails again is parked again at once', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-progression', { body: { warehouse: 'immediate' } });
    await confirmedOrder(rehearsal);
    await rehearsal.down('fms');
    await rehearsal.advance('P8D');
    const { parked } = await rehearsal.settle();
    expect(parked.length).toBeGreaterThan(0);
    const { redriven } = await rehearsal.client.control('redrive-parked');
    expect(redriven).toHaveLength(parked.length);
    const keys = (items: readonly { readonly key: string }[]) => items.map(({ key }) => key).sort();
    expect(keys((await rehearsal.settle()).parked)).toEqual(keys(parked));
    await rehearsal.noFaults();
    await rehearsal.client.control('redrive-parked');
    expect((await rehearsal.settle()).parked).toEqual([]);
  });
});

describe('A command of the outside world', () => {
  test('is never struck by a fault, but the calls that follow from it are', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-progression', { body: { warehouse: 'immediate', carrier: 'immediate', returns: 'manual' } });
    const order = await confirmedOrder(rehearsal);
    await rehearsal.settle();
    const line = { orderLineId: order.lines[0].lineId, qty: 1, reason: 'too blue' };
    const { id } = await rehearsal.api('create-return-api', { body: { orderId: order.id, lines: [line], dropOff: 'carrier' } });
    for (const application of ['fms', 'carrier-platform']) {
      await rehearsal.fault(application, { match: { application }, fault: { kind: 'outage' } });
    }
    const refused = await rehearsal.call('POST', `/_control/returns/${id}/approve`, { reason: 'why not' }, { as: 'admin' });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/reason', detail: 'Only reject takes this member; leave it out.' }] },
    });
    const approved = await rehearsal.call('POST', `/_control/returns/${id}/approve`, {}, { as: 'admin' });
    expect(approved).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect((await rehearsal.object('return', id)).shipments).toMatchObject([{ state: 'pending', labelStatus: 'failed' }]);
    expect((await rehearsal.faults()).find(({ name }) => name === 'carrier-platform')?.hits).toBeGreaterThan(0);
    await rehearsal.noFaults();
    await rehearsal.advance('PT5M');
    expect((await rehearsal.object('return', id)).shipments).toMatchObject([{ labelStatus: 'ready' }]);
  });
});
