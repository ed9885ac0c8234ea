import { expect, test } from '@jest/globals';
import { estate, eventually, newRehearsal } from '../support/estate.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { type Misbehave, type RealPaymentHub, startPaymentHub } from '../support/real-payment-hub.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { card } from '../support/steps/tender.ts';

const SECRET = 'hub-secret-4f7a91c2';

const swappedTo = ({ url }: Pick<RealPaymentHub, 'url'>, more: object = {}) =>
  newRehearsal(undefined, undefined, { 'payment-hub': { url, mode: 'real', headers: { Authorization: `Bearer ${SECRET}` }, ...more } });
type Swapped = Awaited<ReturnType<typeof swappedTo>>;

const pay = (rehearsal: Swapped, { id, totals }: Awaited<ReturnType<Swapped['draft']>>, headers: Record<string, string> = {}) =>
  rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card(), amount: totals.total }, headers });
const swapOf = async (rehearsal: Swapped) => (await rehearsal.control('list-swaps')).items[0];

const atCapture =
  (misbehave: Misbehave): Misbehave =>
  (request, honest, response) =>
    request.path.endsWith('/capture') ? misbehave(request, honest, response) : undefined;
/** Answers a capture with a captured payment, changed by the lie. */
const lying = (lie: (payment: Record<string, unknown>) => object): Misbehave =>
  atCapture(({ payment }) => ({ status: 200, body: lie({ ...payment, state: 'captured', capturedAmount: payment?.amount }) }));
const captured = (amount: number) => ({ state: 'captured', capturedAmount: { amount, currency: 'EUR' } });

test.each<[misbehaviour: string, misbehave: Misbehave, status: number, violation: string]>([
  ['stalls', atCapture(() => 'handled'), 504, 'late'],
  [
    'answers too late',
    atCapture((_request, honest, response) => {
      setTimeout(() => response.writeHead(200).end(JSON.stringify(honest().body)), 1_600);
      return 'handled';
    }),
    504,
    'late',
  ],
  [
    'breaks the connection',
    atCapture((_request, _honest, response) => {
      response.destroy();
      return 'handled';
    }),
    502,
    'broken_off',
  ],
  ['answers nonsense', atCapture(() => ({ status: 200, body: '<html>welcome</html>' })), 502, 'not_json'],
  ['answers without a body', atCapture(() => ({ status: 200, body: '' })), 502, 'wrong_shape'],
  ['answers in a wrong shape', lying(({ refunds: _refunds, ...rest }) => ({ ...rest, amount: '12.00' })), 502, 'wrong_shape'],
  ['fails', atCapture(() => ({ status: 500, body: { message: 'stack trace' } })), 502, 'server_error'],
  ['redirects', atCapture(() => ({ status: 302, body: '' })), 502, 'unexpected_status'],
  ['refuses the credential', atCapture(() => ({ status: 401, body: { error: 'who are you' } })), 502, 'credential_refused'],
  ['answers too much', atCapture(() => ({ status: 200, body: 'x'.repeat(2_000_000) })), 502, 'too_large'],
  ['captures more than authorised', lying((payment) => ({ ...payment, ...captured(999_999) })), 502, 'money'],
  [
    'captures in another currency',
    lying((payment) => ({ ...payment, ...captured(1), capturedAmount: { amount: 1, currency: 'USD' } })),
    502,
    'money',
  ],
  ['answers about another payment', lying((payment) => ({ ...payment, id: 'pay_other' })), 502, 'other_object'],
  ['answers about another order', lying((payment) => ({ ...payment, orderId: 'ord_other' })), 502, 'changed_fact'],
  ['shows the number of a card', lying((payment) => ({ ...payment, authorizationCode: '4242 4242 4242 4242' })), 502, 'secret'],
  ['claims an unreachable state', lying((payment) => ({ ...payment, state: 'pending' })), 502, 'unreachable_state'],
])(
  'A real system that %s is reported by name, nothing is kept, and other rehearsals are not affected',
  async (_what, misbehave, status, violation) => {
    await using hub = await startPaymentHub(misbehave);
    await using honest = await startPaymentHub();
    await using rehearsal = await swappedTo(hub, { timeoutMs: violation === 'late' ? 1_000 : 5_000 });
    await using other = await swappedTo(honest);
    const order = await rehearsal.draft();
    await pay(rehearsal, order);
    const capture = { params: { id: 'pay_real1' }, body: {} };
    // A rehearsal waits for at most 16 answers.
    const [refused] = await Promise.all(Array.from({ length: 12 }, () => rehearsal.call('capture-payment-api', capture)));
    expect(refused?.body).toMatchObject({ status, dependency: 'payment-hub', outside: true, violation });
    expect(await rehearsal.object('payment', 'pay_real1')).toMatchObject({ state: 'authorised', version: 1 });
    const { violations } = (await swapOf(rehearsal)) ?? {};
    expect(violations).toEqual([expect.objectContaining({ name: violation, api: 'capture-payment-api', count: expect.any(Number) })]);
    const hop = (await rehearsal.journal()).find(({ api, outside }) => api === 'capture-payment-api' && outside?.violation);
    expect(hop?.outside.violation).toBe(violation);
    const paid = await pay(other, await other.draft());
    expect(paid.status).toBe(201);
    expect((await swapOf(other))?.violations).toEqual([]);
  },
);

test('A rehearsal waits for at most 16 answers of its stalled real system, refuses further calls immediately, and another rehearsal is served', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub, { timeoutMs: 2_000 });
  await using other = await swappedTo(hub, { timeoutMs: 2_000 });
  hub.behave(({ headers }) => (headers['x-rehearsal'] === rehearsal.name ? 'handled' : undefined));
  const order = await other.draft();
  const body = { orderId: 'ord_1', tender: card(), amount: order.totals.total };
  const stalled = Array.from({ length: 40 }, () => rehearsal.call('authorize-payment-api', { body }));
  await eventually('the real system to stall', async () => hub.received.length >= 16);
  expect((await pay(other, order)).status).toBe(201);
  const statuses = (await Promise.all(stalled)).map(({ status }) => status);
  expect([503, 504].map((status) => statuses.filter((one) => one === status).length)).toEqual([24, 16]);
  expect((await swapOf(rehearsal))?.violations).toMatchObject([{ name: 'late', count: 16 }]);
});

test('An operation that a real system does not offer, and a mode for its steps, are refused with 409', async () => {
  await using hub = await startPaymentHub();
  const swap = { 'payment-hub': { url: hub.url }, 'carrier-platform': { url: hub.url } };
  await using rehearsal = await newRehearsal(undefined, undefined, swap);
  await pay(rehearsal, await rehearsal.draft());
  for (const body of ['', { code: 'not_found' }]) {
    hub.behave(() => ({ status: 404, body }));
    const disputed = await rehearsal.call('open-dispute', { params: { id: 'pay_real1' }, body: { reason: 'fraudulent' } });
    const { path } = hub.received.at(-1) ?? {};
    expect([disputed.status, disputed.body.code, path]).toEqual([409, 'swapped', '/internal/payments/pay_real1/dispute']);
  }
  const { body } = await rehearsal.call('set-progression', { body: { carrier: 'manual', warehouse: 'manual' } });
  expect([body.code, (await rehearsal.control('read-progression')).warehouse]).toEqual(['swapped', 'time']);
  await rehearsal.control('set-progression', { body: { warehouse: 'manual' } });
});

test('If-Match with a version that the estate never returned is refused before the real system is called', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  await pay(rehearsal, await rehearsal.draft());
  const capture = (version: string) =>
    rehearsal.call('capture-payment-api', { params: { id: 'pay_real1' }, body: {}, headers: { 'if-match': version } });
  expect((await capture('"7"')).body).toMatchObject({ code: 'version_mismatch', currentVersion: 1 });
  expect(hub.received).toHaveLength(1);
  const captured = await capture('"1"');
  expect([captured.status, captured.headers['etag']]).toEqual([200, '"2"']);
});

test('An object that is older than the rehearsal has only the additional event when the estate first sees it', async () => {
  const now = new Date().toISOString();
  const known = { id: 'cus_real', version: 40, state: 'active', createdAt: '2020-01-01T00:00:00.000Z', updatedAt: now };
  const customer = {
    ...known,
    firstName: 'Real',
    consents: { emailMarketing: false, smsMarketing: false, profiling: false },
    interactions: [],
    addresses: [],
  };
  await using crm = await startPaymentHub(() => ({ status: 200, body: customer }));
  await using rehearsal = await newRehearsal(undefined, undefined, { crm: { url: crm.url } });
  for (const round of [1, 2]) {
    const { version } = await rehearsal.api('get-customer-api', { params: { id: 'cus_real' } });
    const events = await rehearsal.events({ subject: 'customer/cus_real', ext: true });
    expect([round, version, events.map(({ type }) => type)]).toEqual([round, 1, ['com.unified-commerce.ext.customer-changed']]);
  }
  await rehearsal.verify();
});

test('A real system that is down is reported as unreachable with 503', async () => {
  const hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const order = await rehearsal.draft();
  hub.stop();
  expect((await pay(rehearsal, order)).body).toMatchObject({ code: 'dependency_unavailable', dependency: 'payment-hub', outside: true });
  expect((await swapOf(rehearsal))?.violations).toMatchObject([{ name: 'unreachable', count: 1 }]);
});

test('A refusal of a real system is passed on with its code, or with the code of its status', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const order = await rehearsal.draft();
  const refusals: readonly (readonly [object | string, number, string])[] = [
    [{ code: 'payment_declined', detail: 'no', declineCode: 'insufficient_funds' }, 402, 'payment_declined'],
    [{ code: 'card_declined', message: 'Your card was declined.' }, 402, 'payment_declined'],
    [{ type: 'https://hub.example/limits', detail: 'too many' }, 409, 'invalid_state_transition'],
    ['no JSON', 422, 'validation_failed'],
    [{ code: 'internal_error' }, 404, 'not_found'],
  ];
  for (const [body, status, code] of refusals) {
    hub.behave(() => ({ status, body }));
    expect((await pay(rehearsal, order)).body).toMatchObject({ status, code, outside: true });
  }
  hub.behave(() => ({ status: 429, body: {} }));
  expect((await pay(rehearsal, order)).body).toMatchObject({ status: 503, code: 'dependency_unavailable', outside: true });
  expect((await swapOf(rehearsal))?.violations).toEqual([]);
});

test('One Idempotency-Key has one effect at the real system, also when its answer was lost, and rehearsals do not share keys', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub, { timeoutMs: 1_000 });
  await using other = await swappedTo(hub, { timeoutMs: 1_000 });
  const order = await rehearsal.draft();
  const headers = { 'idempotency-key': 'one' };
  hub.behave((_request, honest) => {
    honest();
    return 'handled';
  });
  expect((await pay(rehearsal, order, headers)).status).toBe(504);
  hub.behave(() => undefined);
  expect((await pay(rehearsal, order, headers)).body).toMatchObject({ id: 'pay_real1' });
  expect((await pay(rehearsal, order, headers)).body).toMatchObject({ id: 'pay_real1' });
  expect(hub.effects()).toBe(1);
  expect(hub.received).toHaveLength(2);
  await pay(other, await other.draft(), headers);
  expect(hub.effects()).toBe(2);
});

test('The real system receives its own headers and the call, and nothing of the client, of the estate or of another rehearsal', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  await using other = await swappedTo(hub);
  const order = await rehearsal.draft();
  await pay(rehearsal, order, { cookie: 'session=mine', 'x-correlation-id': 'my-order', 'idempotency-key': 'mine' });
  await rehearsal.confirmed(order.id);
  await rehearsal.advance('P5D');
  const elsewhere = await other.draft();
  const names = new Set(hub.received.flatMap(({ headers }) => Object.keys(headers)));
  const ofHttp = ['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'idempotency-key', 'user-agent'];
  const ofEstate = ['x-calling-application', 'x-correlation-id', 'x-estate-call', 'x-rehearsal', 'x-rehearsal-now'];
  expect([...names].toSorted()).toEqual([...ofHttp, ...ofEstate]);
  const bytes = hub.received.map(({ head, text }) => `${head}\n\n${text}`).join('\n');
  const secrets = [rehearsal, other].flatMap(({ credentials: { bearer, apiKey, webhookSecret } }) => [bearer, apiKey, webhookSecret]);
  for (const secret of [...secrets, 'demo-', 'session=mine', other.name, elsewhere.id, rehearsal.world])
    expect(bytes).not.toContain(secret);
  expect(bytes).not.toMatch(/x-estate-(?:token|context)|reh_|uct_|whsec_/i);
  expect(hub.received[0]).toMatchObject({
    method: 'POST',
    path: '/payments/authorizations',
    headers: { authorization: `Bearer ${SECRET}`, 'x-rehearsal': rehearsal.name, 'x-correlation-id': 'my-order' },
  });
  expect(hub.received.find(({ path }) => path.endsWith('/capture'))?.headers['x-calling-application']).toBe('oms');
});

test('Header values of a swap are neither listed nor journalled, even if the real system echoes them, and a reset keeps the swap', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  hub.behave(({ headers }) => ({ status: 409, body: { detail: `not with ${headers.authorization}` } }));
  const refused = await pay(rehearsal, await rehearsal.draft());
  const shown = [refused.body, await rehearsal.journal(), await rehearsal.control('list-swaps')];
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  await rehearsal.control('reset-rehearsal');
  hub.behave(() => undefined);
  expect((await pay(rehearsal, await rehearsal.draft())).status).toBe(201);
  expect(hub.received.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  expect(await swapOf(rehearsal)).toMatchObject({ calls: 1, from: 'request' });
});

test.each<[way: string, echo: (secret: string) => string]>([
  ['as it is', (secret) => secret],
  ['as base64', (secret) => Buffer.from(`hub:${secret}`).toString('base64')],
  ['in percent', (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
])('A header value of a swap that the real system echoes %s is shown nowhere', async (_way, echo) => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  hub.behave(() => ({ status: 409, body: { detail: `not with <${echo(SECRET)}>` } }));
  const refused = await pay(rehearsal, await rehearsal.draft());
  expect(refused.body.detail).toContain('not with <[redacted]>');
  const shown = [refused.body, await rehearsal.journal(), await rehearsal.control('list-swaps')];
  expect(JSON.stringify(shown)).not.toContain(echo(SECRET));
});

test('The user and password of a swap are not shown when the real system echoes the password alone', async () => {
  await using hub = await startPaymentHub(() => ({ status: 409, body: { detail: `not with ${SECRET}!` } }));
  const Authorization = `Basic ${Buffer.from(`hub:${SECRET}`).toString('base64')}`;
  await using rehearsal = await swappedTo(hub, { headers: { Authorization } });
  expect((await pay(rehearsal, await rehearsal.draft())).body.detail).toContain('not with [redacted]!');
});

test.each([
  ['1e308', '5'],
  ['9'.repeat(30), '86400'],
  ['120', '120'],
])('A real system that limits the rate with Retry-After: %s is answered with Retry-After: %s', async (asked, answered) => {
  await using hub = await startPaymentHub((_request, _honest, response) => {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': asked }).end('{}');
    return 'handled';
  });
  await using rehearsal = await swappedTo(hub);
  const { status, headers } = await pay(rehearsal, await rehearsal.draft());
  expect([status, headers['retry-after']]).toEqual([503, answered]);
});

test('A status that HTTP does not have is a failure of the real system, and its kept answer can be used', async () => {
  await using hub = await startPaymentHub(() => ({ status: 777, body: {} }));
  await using rehearsal = await swappedTo(hub, { keep: true });
  const refused = await pay(rehearsal, await rehearsal.draft());
  expect(refused.body).toMatchObject({ status: 502, violation: 'server_error' });
  const kept = await rehearsal.call('GET', '/_control/answers/payment-hub', undefined, { as: 'admin' });
  expect([kept.status, kept.body.answers?.['authorize-payment-api']]).toMatchObject([200, [{ status: 599 }]]);
});

test.each([
  ['without a body', ''],
  ['with null', 'null'],
])('The refusal of an answer %s names what the real system must send', async (words, body) => {
  await using hub = await startPaymentHub(() => ({ status: 201, body }));
  await using rehearsal = await swappedTo(hub);
  const { detail } = (await pay(rehearsal, await rehearsal.draft())).body;
  expect(detail).toBe(
    `The real payment-hub answered 201 ${words}. authorize-payment-api answers 201 with JSON: send the members of its answer.`,
  );
});

test('An answer whose caller has given up is recorded as late', async () => {
  await using loyalty = await startPaymentHub((_request, _honest, response) => {
    setTimeout(() => response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":"not_found"}'), 1_200);
    return 'handled';
  });
  await using rehearsal = await newRehearsal(undefined, undefined, { 'loyalty-platform': { url: loyalty.url, events: 'none' } });
  await rehearsal.sale({ loyaltyId: 'loy_ada' }).catch(() => undefined);
  await eventually('the late answer', async () =>
    ((await swapOf(rehearsal))?.violations ?? []).some(({ name, detail }) => name === 'late' && detail.includes('given up')),
  );
});

test('With a seed, the keys of calls and events differ between the worlds of a rehearsal', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = withSteps(
    await openRehearsal(estate.gateway, undefined, { seed: 'again', swap: { 'payment-hub': { url: hub.url } } }),
  );
  const keys = async () => {
    const seen = hub.received.length;
    await pay(rehearsal, await rehearsal.draft(), { 'idempotency-key': 'one-key' });
    return hub.received.slice(seen).map(({ headers }) => headers['idempotency-key']);
  };
  const first = await keys();
  await rehearsal.control('reset-rehearsal');
  const second = await keys();
  expect(first.length).toBeGreaterThan(0);
  expect(second.filter((key) => first.includes(key))).toEqual([]);
});

test('Create Rehearsal refuses swaps with every mistake, and addresses that OUTBOUND_ALLOW does not permit', async () => {
  await using rehearsal = await newRehearsal();
  const create = async (swap: unknown) => {
    const { body } = await rehearsal.call('create-rehearsal', { body: { name: `${rehearsal.name}-x`, swap } });
    return [body.status, body.code, ...body.errors.map(({ pointer }: { pointer: string }) => pointer.replace('/swap/', ''))];
  };
  const hub = { url: 'ftp://hub', headers: { 'X-Rehearsal': 'mine' }, timeoutMs: 0, mode: 'unreal' };
  expect(await create({ oms: { url: 'https://oms.test' }, 'payment-hub': hub })).toEqual([
    ...[422, 'validation_failed', 'payment-hub/url', 'payment-hub/mode', 'payment-hub/headers/X-Rehearsal', 'payment-hub/timeoutMs'],
    'oms',
  ]);
  const forbidden = await create({ crm: { url: 'http://169.254.169.254/latest' }, 'payment-hub': { url: 'http://10.0.0.1' } });
  expect(forbidden).toEqual([403, 'outbound_refused', 'payment-hub/url', 'crm/url']);
});

test('verify raises no false alarm about an application whose real system has shown nothing', async () => {
  await using hub = await startPaymentHub(() => ({ status: 500, body: {} }));
  const swap = { 'loyalty-platform': { url: hub.url, events: 'none' }, 'inventory-service': { url: hub.url } } as const;
  await using rehearsal = await newRehearsal(undefined, undefined, swap);
  await rehearsal.basket();
  const { holds, complete, invariants } = await rehearsal.verify();
  const unchecked = invariants.filter(({ basis }) => basis === 'not-checked').map(({ id }) => id);
  expect([holds, complete, unchecked]).toEqual([true, false, ['points', 'stock', 'returns']]);
});

/** Calls the control plane as the real system does: with the header alone. */
async function asRealSystem(path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(`${estate.gateway}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
const callHeader = (hub: RealPaymentHub): Record<string, string> => ({
  'x-estate-call': String(hub.received.at(-1)?.headers['x-estate-call']),
});

test('A real Payment Hub calls the estate while it answers, with the calls of the Payment Hub only', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub);
  const order = await rehearsal.draft();
  const answers: unknown[] = [];
  hub.behave((one, honest, response) => {
    const headers = { 'x-estate-call': String(one.headers['x-estate-call']) };
    void (async () => {
      const payable = await asRealSystem('/_control/calls/get-payable', { params: { id: order.id } }, headers);
      answers.push(payable.body.total?.amount);
      for (const [id, params] of [
        ['get-order-api', { id: order.id }],
        ['nothing-like-it', {}],
        ['get-payable', { id: '..' }],
      ] as const) {
        answers.push((await asRealSystem(`/_control/calls/${id}`, { params }, headers)).body.code);
      }
      const { status, body } = honest();
      response.writeHead(status).end(JSON.stringify(body));
    })();
    return 'handled';
  });
  expect((await pay(rehearsal, order, { 'x-correlation-id': 'with-call' })).status).toBe(201);
  expect(answers).toEqual([order.totals.total.amount, 'forbidden', 'forbidden', 'validation_failed']);
  const hops = await rehearsal.journal('with-call');
  const [paid, called] = ['authorize-payment-api', 'get-payable'].map((api) => hops.find((hop) => hop.api === api));
  expect([called?.parentId, called?.status]).toEqual([paid?.requestId, 200]);
});

test('An application that waits for the answer of the real system is not called back, and the permission ends', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await swappedTo(hub, { timeoutMs: 3_000 });
  const order = await rehearsal.draft();
  await pay(rehearsal, order);
  const answers: unknown[] = [];
  hub.behave((one, honest, response) => {
    if (!one.path.endsWith('/internal/payments')) return undefined;
    const headers = { 'x-estate-call': String(one.headers['x-estate-call']) };
    void asRealSystem('/_control/calls/get-payable', { params: { id: order.id } }, headers).then(({ body }) => {
      answers.push(body.code);
      response.end(JSON.stringify(honest().body));
    });
    return 'handled';
  });
  await rehearsal.confirmed(order.id);
  expect(answers).toContain('forbidden');
  const answered = await asRealSystem('/_control/calls/get-payable', { params: { id: order.id } }, callHeader(hub));
  expect([answered.status, answered.body.detail]).toEqual([401, expect.stringContaining('ended with the call that it came with')]);
  const longer = { 'x-estate-call': `${callHeader(hub)['x-estate-call']}.x` };
  expect((await asRealSystem('/_control/calls/get-payable', { params: { id: order.id } }, longer)).status).toBe(401);
  hub.behave(() => 'handled');
  const waiting = hub.received.length;
  const open = pay(rehearsal, await rehearsal.draft());
  await eventually('the call that waits', async () => hub.received.length > waiting);
  await rehearsal.control('reset-rehearsal');
  const ended = await asRealSystem('/_control/calls/get-payable', { params: { id: order.id } }, callHeader(hub));
  expect([ended.status, ended.body.detail]).toEqual([401, expect.stringContaining('was reset or deleted')]);
  await open;
  const forged = await asRealSystem('/_control/calls/get-payable', {}, { 'x-estate-call': 'uec_e30.AAAA' });
  expect(forged.status).toBe(401);
  const elsewhere = await asRealSystem('/_control/reset', {}, callHeader(hub));
  expect(elsewhere.status).toBe(401);
});

test('A change that a real system reports has its events, a repeat has none, and what cannot be true is refused', async () => {
  await using hub = await startPaymentHub();
  await using unswapped = await newRehearsal();
  const rehearsal = await swappedTo(hub);
  const headers = { 'x-estate-call': String(rehearsal.estateCalls['payment-hub']) };
  const { body: payment } = await pay(rehearsal, await rehearsal.draft());
  const report = (data: unknown, object = 'payment') => asRealSystem('/_control/events', { object, data }, headers);
  const voided = { ...payment, state: 'voided', version: 8 };
  expect((await report(voided)).body).toMatchObject({ changed: true, object: { state: 'voided', version: 2 } });
  expect((await report(voided)).body).toMatchObject({ changed: false, object: { state: 'voided', version: 2 } });
  expect((await report({ ...payment, version: 7 })).body).toMatchObject({ changed: false, object: { state: 'voided' } });
  const unreachable = { errors: [{ pointer: '/data', code: 'unreachable_state' }] };
  expect((await report({ ...payment, state: 'captured', version: 9 })).body).toMatchObject(unreachable);
  expect((await report({ ...voided, amount: '5' })).body.errors[0].pointer).toBe('/data/amount');
  expect((await report({}, 'customer')).status).toBe(403);
  const { body } = await unswapped.call('report-change', { body: { object: 'payment', data: voided } });
  expect(body).toMatchObject({ status: 409, code: 'not_swapped' });
  expect((await unswapped.call('report-change', { body: { object: 'order', data: {} } })).body.errors[0].pointer).toBe('/object');
  const asTester = (application: string | undefined) =>
    unswapped.call('make-call', { params: { id: 'get-payable' }, body: { application, params: { id: 'ord_1' } } });
  expect((await asTester('payment-hub')).body).toMatchObject({ status: 409, code: 'not_swapped' });
  expect((await asTester('oms')).body).toMatchObject({ status: 422, errors: [{ pointer: '/application', code: 'invalid_value' }] });
  expect((await asTester(undefined)).body).toMatchObject({ status: 422, errors: [{ pointer: '/application', code: 'no_caller' }] });
  await rehearsal.control('delete-rehearsal', { params: { name: rehearsal.name } });
  expect((await report(voided)).status).toBe(401);
});
