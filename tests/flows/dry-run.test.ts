import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { type ApiId, apis } from '../../shared/catalog/apis.ts';
import { logInteraction } from '../../shared/catalog/customer/apis.ts';
import { logCustomerInteraction } from '../../shared/catalog/customer/internal.ts';
import { type ApiDefinition, changesSomething } from '../../shared/catalog/define.ts';
import { verbApis } from '../../shared/catalog/verb-apis.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { World } from '../../shared/domain/world.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import type { Transport } from '../../shared/transport/transport.ts';
import { handle } from '../../shared/work/handler.ts';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { DRY, disagreement } from '../support/dry-run.ts';
import { ADDRESS, newRehearsal as openAtEstate, type TestRehearsal } from '../support/estate.ts';
import { openRehearsal, type SwapsInput } from '../support/open-rehearsal.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { TTL } from '../support/steps/order.ts';
import { rehearsalAt, withSteps } from '../support/steps/rehearsal-at.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { sharedIn, testIn } from '../support/test-in.ts';
import { type Prepare, requests, sendRequest } from './changing-requests.ts';
import { changing, exportOf, preparedWorlds, variantsOf } from './dry-run-worlds.ts';
import { walks } from './life-cycle-walks.ts';

const TOKEN = 'the-token-of-the-estate-of-this-test-file';
const { TRANSPORT = 'process' } = process.env;

/** A store in memory that counts the operations of applications, by name. */
function countingStore() {
  const memory = createMemoryStore();
  const counts = new Map<string, number>();
  const counted = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, name) {
        const found = Reflect.get(target, name) as unknown;
        if (typeof found !== 'function') return found;
        return (...given: unknown[]) => {
          counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
          return Reflect.apply(found, target, given);
        };
      },
    });
  const adapter: StoreAdapter = {
    ...memory,
    control: counted(memory.control),
    store: (application) => counted(memory.store(application)),
  };
  const count = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  return { adapter, count };
}

const { adapter, count } = countingStore();
const written = (): number => count('commit', 'claim', 'journal', 'hit', 'chance');
const read = (): number => count('object', 'unique', 'index', 'count', 'all', 'counters');

let observed: ObservedEstate;
beforeAll(async () => {
  observed = await anObservedEstate({ ESTATE_TOKEN: TOKEN, STRICT_RESPONSES: 'true', TRANSPORT }, 'warn', adapter);
});
afterAll(() => observed?.[Symbol.asyncDispose]());

const newRehearsal = (...given: Parameters<typeof rehearsalAt> extends [string, ...infer Rest] ? Rest : never) =>
  rehearsalAt(observed.running.gateway, ...given);

/** Sends a request dry: a public API through the gateway, an internal call as another application does. */
async function sendDry(api: ApiDefinition, rehearsal: TestRehearsal, path: string, body: unknown) {
  const target = `${path}${path.includes('?') ? '&' : '?'}dryRun=true`;
  const key = { 'idempotency-key': 'a-key-that-stays-free' };
  if (api.auth === 'signature') return sendWebhook(rehearsal, target, body);
  if (api.auth === 'bearer' || api.auth === 'api-key') return rehearsal.call(api.method, target, body, { headers: key, as: api.auth });
  const view = await adapter.worlds.current(rehearsal.world as World);
  if (!view) throw new Error('The world is gone.');
  const { world, now, faults, progression } = view;
  const requestId = newId('req', now);
  const ids = { principal: 'test', requestId, correlationId: requestId, deadline: Date.now() + 15_000 };
  const context = { world, now, faults, progression, ...ids, chain: ['another'], dryRun: true as const };
  const response = await request(`${observed.running.applications[api.application]}${path}`, {
    method: api.method,
    headers: { ...key, 'content-type': 'application/json', [CONTEXT_HEADER]: encodeContext(context), [TOKEN_HEADER]: TOKEN },
    body: JSON.stringify(body ?? {}),
  });
  const text = await response.body.text();
  return { status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) };
}

async function sendWebhook(rehearsal: TestRehearsal, target: string, data: unknown) {
  const { credentials, call, now } = rehearsal;
  const body = JSON.stringify(data);
  const signed = signWebhook(credentials.webhookSecret, { id: 'webhook-of-a-test', at: await now(), body });
  return call('POST', target, body, { as: 'none', headers: { 'content-type': 'application/json', ...signed } });
}

/** Verbs of objects that the application chooses: the basket of a sale at a till, and a customer by e-mail or phone. */
const UNNAMED = ['basket start-transaction', 'basket cancel-checkout', 'customer register'];

describe('A dry run in a world of every state', () => {
  let prepared: Awaited<ReturnType<typeof preparedWorlds>>;
  let before: readonly string[];
  const variantsIn = (api: string) => (prepared.templates.get(api) ?? []).flatMap((template) => variantsOf(template, prepared.worlds));
  const exported = () => Promise.all(prepared.worlds.map(({ rehearsal }) => exportOf(rehearsal)));
  beforeAll(async () => {
    prepared = await preparedWorlds(newRehearsal);
    before = await exported();
  }, 180_000);
  afterAll(async () => {
    for (const { rehearsal } of prepared?.worlds ?? []) await rehearsal[Symbol.asyncDispose]();
  });

  test.each(changing.map((api) => [api.id, api] as const))('A dry run of %s stores, journals and logs nothing', async (id, api) => {
    const [stored, logged] = [written(), observed.lines.length];
    const variants = variantsIn(id);
    if (variants.length === 0) throw new Error(`No world has made ${id}.`);
    const replies = await Promise.all(variants.map(({ world, path, body }) => sendDry(api, world.rehearsal, path, body)));
    expect([written() - stored, observed.lines.slice(logged)]).toEqual([0, []]);
    expect(replies.filter(({ status }) => status >= 500)).toEqual([]);
    // The handler has answered at least one of them.
    expect(replies.map(({ status }) => status).filter((status) => status === 200 || status === 409)).not.toEqual([]);
  });

  test('Dry runs reach each verb of a client in each state of its objects', () => {
    const missing = Object.entries(verbApis).flatMap(([type, verbs]) =>
      Object.entries(verbs).flatMap(([verb, api]) => {
        if (UNNAMED.includes(`${type} ${verb}`)) return [];
        const reached = new Set(variantsIn(api).flatMap(({ about }) => (about?.type === type ? [about.state] : [])));
        const left = walks[type]?.lifeCycle.states.filter((state) => !reached.has(state)) ?? ['any state'];
        return left.map((state) => `${type} ${verb} in ${state}: a request of ${api} that names a ${type}`);
      }),
    );
    expect(missing).toEqual([]);
  });

  test('Dry runs of every operation leave the exports of their worlds equal byte for byte', async () => {
    expect((await exported()).map((text, index) => text === before[index])).toEqual(before.map(() => true));
  });
});

const changingForClients = (Object.values(apis) as unknown as readonly ApiDefinition[]).filter(
  (api) => changesSomething(api) && api.auth !== 'signature',
);

describe.each(changingForClients.map((api) => [api.name, api] as const))('A dry run of %s', (name, api) => {
  const prepare = requests[api.id] as Prepare;

  test(`A dry run of ${name} answers as the real call with its key then does, with no more reads`, async () => {
    await using rehearsal = await newRehearsal();
    const sent = await prepare(rehearsal);
    await rehearsal.settle();
    const headers = { 'idempotency-key': 'one' };
    // The first request reads what the applications then keep in memory.
    await sendRequest(rehearsal, api.id, sent, { headers, query: DRY });
    const [begun, stored] = [read(), written()];
    const dry = await sendRequest(rehearsal, api.id, sent, { headers, query: DRY });
    const [ended, keptStored] = [read(), written()];
    const real = await sendRequest(rehearsal, api.id, sent, { headers });
    expect(disagreement(dry, real)).toBeUndefined();
    expect([real.status, real.headers['idempotent-replayed'], keptStored - stored]).toEqual([api.status, undefined, 0]);
    expect(ended - begun).toBeLessThanOrEqual(read() - ended);
    await rehearsal.verify();
  });

  if (api.path.includes('{id}')) {
    test(`A dry run of ${name} with an If-Match of another version is refused as the real call`, async () => {
      await using rehearsal = await newRehearsal();
      const sent = await prepare(rehearsal);
      const headers = { 'if-match': '"999"' };
      const dry = await sendRequest(rehearsal, api.id, sent, { headers, query: DRY });
      const real = await sendRequest(rehearsal, api.id, sent, { headers });
      expect([dry.status, disagreement(dry, real)]).toEqual([412, undefined]);
      const current = { 'if-match': `"${real.body.currentVersion}"` };
      expect((await sendRequest(rehearsal, api.id, sent, { headers: current, query: DRY })).status).toBe(200);
    });
  }
});

const anotherRehearsal = testIn(newRehearsal);

type Prepared = readonly [api: ApiId, call: object];
const LAMP = { sku: 'lamp-last-one', qty: 1 };
const CHECKOUT = { shippingAddress: ADDRESS };
const takeLamp = (rehearsal: TestRehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [LAMP] } });
const releaseOf = ({ api }: TestRehearsal, { lines }: { lines: readonly { reservationId?: string }[] }) =>
  api('release-reservation-api', { params: { id: lines[0]?.reservationId ?? '' } });

/** Requests that are decided behind the first call, refused, or carried out in another way after a refused call. */
const decided: Readonly<Record<string, (rehearsal: TestRehearsal) => Promise<Prepared>>> = {
  'Confirm Order after the reservation has expired': async (rehearsal) => {
    const { id } = await rehearsal.authorised();
    await rehearsal.advance(TTL);
    return ['confirm-order-api', { params: { id } }];
  },
  'Confirm Order after a client has released the reservation': async (rehearsal) => {
    const order = await rehearsal.authorised();
    await releaseOf(rehearsal, order);
    return ['confirm-order-api', { params: { id: order.id } }];
  },
  'Confirm Order of a lamp that another customer has reserved': async (rehearsal) => {
    const { id } = await rehearsal.authorised(LAMP);
    await rehearsal.advance(TTL);
    await takeLamp(rehearsal);
    return ['confirm-order-api', { params: { id } }];
  },
  'Route Order after a client has released the reservation': async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    const order = await rehearsal.confirmed();
    await releaseOf(rehearsal, order);
    return ['route-order-api', { params: { id: order.id }, body: {} }];
  },
  'Route Order of a lamp that another customer has reserved': async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    const order = await rehearsal.confirmed(LAMP);
    await releaseOf(rehearsal, order);
    await takeLamp(rehearsal);
    return ['route-order-api', { params: { id: order.id }, body: {} }];
  },
  'Cancel Order of a dispatched order': async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual' });
    return ['cancel-order-api', { params: { id: (await rehearsal.dispatchedOrder()).orderId }, body: {} }];
  },
  'Checkout Basket that places an order of a lamp that is sold out': async (rehearsal) => {
    const { id } = await rehearsal.basket(LAMP);
    await takeLamp(rehearsal);
    return ['checkout-basket-api', { params: { id }, body: { ...CHECKOUT, placeOrder: true } }];
  },
  'Checkout Basket that places an order': async (rehearsal) => {
    const { id } = await rehearsal.basket();
    return ['checkout-basket-api', { params: { id }, body: { ...CHECKOUT, placeOrder: true } }];
  },
  'Void Transaction of a sale with two tenders': async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 500);
    await rehearsal.pay(id, card(), 100);
    return ['void-transaction-api', { params: { id }, body: {} }];
  },
  'Add Payment of a card that is declined': async (rehearsal) => {
    const { id } = await rehearsal.sale();
    return ['add-payment-api', { params: { id }, body: { tender: card('tok_decline_do_not_honor'), amount: eur(100) } }];
  },
  'Add Payment that completes a sale': async (rehearsal) => {
    const { id, totals } = await rehearsal.sale();
    return ['add-payment-api', { params: { id }, body: { tender: CASH, amount: totals.total } }];
  },
  'Authorize Payment without an answer of the provider': async (rehearsal) => {
    const { id: orderId } = await rehearsal.draft();
    return ['authorize-payment-api', { body: { orderId, tender: card('tok_timeout') } }];
  },
  'Capture Payment that is declined': async (rehearsal) => {
    const { id } = await rehearsal.authorisation((await rehearsal.draft()).id, undefined, 'tok_decline_at_capture');
    return ['capture-payment-api', { params: { id } }];
  },
  'Allocate Inventory of a line that has its reservation': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.draft();
    return ['allocate-inventory-api', { body: { orderId, orderLineId: lines[0].lineId, sku: 'mug-blue', qty: 2 } }];
  },
  'Enroll Loyalty Member with the card of another member': async () => [
    'enroll-loyalty-member-api',
    { body: { customerId: 'cus_ben', cardNumber: '2990000123459' } },
  ],
  'Refund Payment above the value of its return': async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual', carrier: 'manual', returns: 'manual', refund: 'manual' });
    const order = await rehearsal.completed();
    const returnId = await rehearsal.inspected(order, 1);
    return ['refund-payment-api', { params: { id: order.payments[0].id }, body: { amount: eur(2_599), returnId } }];
  },
};

anotherRehearsal.each(Object.entries(decided))('A dry run of %s agrees with the real call', async (rehearsal, _what, prepare) => {
  const [api, call] = await prepare(rehearsal);
  await rehearsal.settle();
  const dry = await rehearsal.call(api, { ...call, query: DRY });
  expect(disagreement(dry, await rehearsal.call(api, call))).toBeUndefined();
});

anotherRehearsal('A dry run leaves a fault with one strike to the next real call, and is not struck by it', async (rehearsal) => {
  const { id } = await rehearsal.authorised();
  await rehearsal.fault('once', { match: { api: 'confirm-order-api' }, fault: { kind: 'status', status: 503 }, times: 1 });
  await rehearsal.fault('behind', { match: { api: 'list-payments' }, fault: { kind: 'outage' }, times: 1 });
  expect((await rehearsal.call('confirm-order-api', { params: { id }, query: DRY })).status).toBe(200);
  expect((await rehearsal.faults()).map(({ hits }) => hits)).toEqual([0, 0]);
  expect((await rehearsal.confirm(id)).status).toBe(503);
  expect((await rehearsal.confirm(id)).body.code).toBe('dependency_unavailable');
  expect((await rehearsal.confirm(id)).status).toBe(200);
});

test('Requests of a rehearsal with a seed get the same ids with dry runs between them as without', async () => {
  const idsOf = async (how: { readonly isDry: boolean }): Promise<string[]> => {
    const opened = await openRehearsal(observed.running.gateway, undefined, { seed: 'dry', startsAt: '2026-01-05T09:00:00Z' });
    await using rehearsal = withSteps(opened);
    const dry = async (call: () => Promise<unknown>): Promise<unknown> => (how.isDry ? call() : undefined);
    await dry(() => rehearsal.call('create-basket-api', { body: { channel: 'web' }, query: DRY }));
    const { id: basketId } = await rehearsal.checkedOut();
    await dry(() => rehearsal.call('create-order-api', { body: { basketId }, query: DRY }));
    const { id: orderId } = await rehearsal.draft(basketId);
    const body = { orderId, tender: card() };
    await dry(() => rehearsal.call('authorize-payment-api', { body, query: DRY }));
    return [basketId, orderId, (await rehearsal.authorisation(orderId)).id, (await rehearsal.basket()).id];
  };
  expect(await idsOf({ isDry: true })).toEqual(await idsOf({ isDry: false }));
});

anotherRehearsal(
  'A dry run of the signed webhook of a carrier verifies the signature, and the webhook then moves the parcel',
  async (rehearsal) => {
    await rehearsal.progress({ warehouse: 'manual', carrier: 'manual' });
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.settle();
    const occurredAt = new Date(await rehearsal.now()).toISOString();
    const data = { type: 'shipment.tracking.updated', timestamp: occurredAt, data: { shipmentId, status: 'collected', occurredAt } };
    const target = `/webhooks/carrier?rehearsal=${rehearsal.name}`;
    const before = await exportOf(rehearsal);
    const unsigned = await rehearsal.call('POST', `${target}&dryRun=true`, data, { as: 'none' });
    expect(unsigned).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    const dry = await sendWebhook(rehearsal, `${target}&dryRun=true`, data);
    expect(dry).toMatchObject({ status: 200, body: { possible: true, status: 204 } });
    const unknown = await sendWebhook(rehearsal, `${target}&dryRun=true`, { ...data, type: 'shipment.weighed' });
    expect(unknown).toMatchObject({ status: 200, body: { possible: true, status: 204, unchanged: true } });
    expect(await exportOf(rehearsal)).toBe(before);
    expect((await sendWebhook(rehearsal, target, data)).status).toBe(204);
  },
);

anotherRehearsal('The last unit that two dry runs check out is free for a third customer', async (rehearsal) => {
  const { call, api } = rehearsal;
  const ids = await Promise.all([1, 2, 3].map(async () => (await rehearsal.basket({ sku: 'lamp-last-one', qty: 1 })).id));
  const stock = () => api('get-inventory-api', { params: { sku: 'lamp-last-one' } });
  const before = await stock();
  const checkOut = (id: string, how = {}) =>
    rehearsal.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS }, ...how });
  for (const id of ids.slice(0, 2)) expect((await checkOut(id, { query: DRY })).status).toBe(200);
  const reserve = { body: { items: [{ sku: 'lamp-last-one', qty: 1 }] }, query: DRY };
  for (const _ of ids.slice(0, 2)) expect((await call('reserve-inventory-api', reserve)).status).toBe(200);
  expect(await stock()).toEqual(before);
  expect((await checkOut(ids[2] ?? '')).status).toBe(200);
  expect(await checkOut(ids[0] ?? '', { query: DRY })).toMatchObject({ status: 409, body: { code: 'insufficient_stock' } });
});

describe('A dry run beside a real system', () => {
  const withHub = (swap: SwapsInput) => openAtEstate(undefined, undefined, swap);

  test('A dry run of an application that a real system replaces is refused, and the real system receives nothing', async () => {
    await using hub = await startPaymentHub();
    await using rehearsal = await withHub({ 'payment-hub': { url: hub.url } });
    const { id: orderId } = await rehearsal.draft();
    const body = { orderId, tender: card() };
    const { length } = hub.received;
    const reply = await rehearsal.call('authorize-payment-api', { body, query: DRY });
    expect(reply).toMatchObject({ status: 409, body: { code: 'swapped', application: 'payment-hub' } });
    expect(hub.received).toHaveLength(length);
  });

  test('A dry run that would call a real system ends as possible, and the real system receives nothing', async () => {
    await using hub = await startPaymentHub();
    await using rehearsal = await withHub({ 'payment-hub': { url: hub.url } });
    const { id, totals } = await rehearsal.draft();
    await rehearsal.authorisation(id, totals.total.amount);
    const { length } = hub.received;
    const reply = await rehearsal.call('confirm-order-api', { params: { id }, query: DRY });
    expect(reply).toMatchObject({ status: 200, body: { possible: true } });
    expect(hub.received).toHaveLength(length);
    expect((await rehearsal.order(id)).state).toBe('draft');
  });

  test('A real system in the shadow receives no call of a dry run', async () => {
    await using hub = await startPaymentHub();
    await using rehearsal = await withHub({ 'payment-hub': { url: hub.url, mode: 'shadow' } });
    const { id: orderId } = await rehearsal.draft();
    const compared = async () => (await rehearsal.control('read-fidelity')).items.map((one) => [one.application, one.compared]);
    const [before, { length }] = [await compared(), hub.received];
    const body = { orderId, tender: card() };
    expect((await rehearsal.call('authorize-payment-api', { body, query: DRY })).status).toBe(200);
    expect([await compared(), hub.received.length]).toEqual([before, length]);
  });
});

describe('The parameter dryRun', () => {
  const sentTo = ({ method, path, auth }: ApiDefinition, query: string) =>
    rehearsal.call(
      method,
      `${path.replaceAll(/\{rehearsal\}/g, rehearsal.name).replaceAll(/\{\w+\}/g, 'nothing')}?${query}`,
      method === 'GET' ? undefined : {},
      {
        as: auth === 'bearer' || auth === 'api-key' ? auth : 'none',
      },
    );
  const rehearsal = sharedIn(newRehearsal);
  const forClients = Object.values(apis) as unknown as readonly ApiDefinition[];

  test.each(forClients.filter((api) => changesSomething(api)).map((api) => [api.name, api] as const))(
    'The parameter dryRun of %s is true or false, once',
    async (_name, api) => {
      for (const query of ['dryRun=1', 'dryRun=TRUE', 'dryRun=', 'dryRun', 'dryRun=true&dryRun=true', 'dryRun=true&dryRun=false']) {
        const reply =
          api.auth === 'signature'
            ? await sendWebhook(rehearsal, `${api.path}?rehearsal=${rehearsal.name}&${query}`, {})
            : await sentTo(api, query);
        expect([query, reply.status, reply.body.errors?.[0]]).toMatchObject([query, 422, { pointer: '?dryRun', code: 'invalid_value' }]);
      }
    },
  );

  test.each(forClients.filter((api) => !changesSomething(api)).map((api) => [api.name, api] as const))(
    '%s stores nothing, so it refuses the parameter dryRun',
    async (_name, api) => {
      for (const query of ['dryRun=true', 'dryRun=false', 'dryRun=1']) {
        const reply = await sentTo(api, query);
        expect([query, reply.status, reply.body.errors?.[0]]).toMatchObject([query, 422, { pointer: '?dryRun', code: 'not_changing' }]);
      }
    },
  );

  test.each([
    'dryrun=true',
    'DryRun=true',
    'dry_run=true',
    'dryRun[]=true',
    'dryRun%20=true',
    '%20dryRun=true',
    'dryRun=true%20',
    'dryRun=%22true%22',
  ])('Create Basket with the parameter %s is refused, and creates nothing', async (query) => {
    const before = await exportOf(rehearsal);
    expect((await rehearsal.call('POST', `/baskets?${query}`, { channel: 'web' })).status).toBe(422);
    const withoutJournal = (file: string) => ({ ...JSON.parse(file), clock: 0, journal: 0 });
    expect(withoutJournal(await exportOf(rehearsal))).toEqual(withoutJournal(before));
  });

  test.each([1_000, 5_000])('The parameter dryRun after %i empty parameters is read', async (count) => {
    const empty = '&'.repeat(count);
    const reply = await rehearsal.call('POST', `/baskets?${empty}dryRun=true`, { channel: 'web' });
    expect(reply).toMatchObject({ status: 200, body: { possible: true } });
    const file = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
    const kept = await rehearsal.call('POST', `/_control/snapshots?${empty}dryRun=true`, file, { as: 'admin' });
    expect(kept).toMatchObject({ status: 200, body: { kept: false } });
  });

  test('A request with dryRun=false is a real call', async () => {
    const created = await rehearsal.call('create-basket-api', { body: { channel: 'web' }, query: { dryRun: 'false' } });
    expect([created.status, (await rehearsal.object('basket', created.body.id)).state]).toEqual([201, 'open']);
  });
});

test('A dry run whose handler swallows the end of the run is possible, makes no further call and logs nothing', async () => {
  const memory = createMemoryStore();
  const lines: string[] = [];
  const agent = new Agent();
  const sent: string[] = [];
  const transport: Transport = {
    urlOf: (_application, path) => path,
    send: async ({ path, context }) => {
      sent.push(`${path} ${context.dryRun}`);
      return { status: 200, text: '{"possible":true}', retryAfter: undefined };
    },
  };
  const careless = handle(logInteraction)(async ({ body }, { call, log }) => {
    const { customerId: id, type } = body;
    const note = () =>
      call(logCustomerInteraction, { params: { id }, body: { type } }).catch((error: unknown) => log.warn({ err: error }, 'failed'));
    await note();
    await note();
    return { id: 'int_1', customerId: id, type, at: '2026-01-05T09:00:00Z' } as never;
  });
  const service = { collections: [], counters: [], internal: {}, due: {}, events: {}, apis: { [careless.id]: careless } };
  const running = await startApplication({
    ...{ adapter: memory, bus: createMemoryBus(), transport, token: TOKEN, agent, host: '127.0.0.1', port: 0, strictResponses: true },
    service: { ...service, application: 'clienteling-app' },
    log: createLogger('trace', { write: (line) => void lines.push(line) }),
  });
  try {
    const now = Date.now();
    const world = await memory.worlds.open('careless', { now, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
    const ids = { principal: 'test', requestId: 'req_1', correlationId: 'req_1', deadline: now + 15_000 };
    const context = encodeContext({ world, now, faults: 0, chain: [], ...ids });
    const { length } = lines;
    const reply = await request(`${running.url}${logInteraction.path}?dryRun=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [CONTEXT_HEADER]: context, [TOKEN_HEADER]: TOKEN },
      body: JSON.stringify({ customerId: 'cus_ada', type: 'visit' }),
    });
    expect([reply.statusCode, await reply.body.json()]).toEqual([200, { possible: true }]);
    expect([sent, lines.slice(length)]).toEqual([['/internal/customers/cus_ada/interactions true'], []]);
  } finally {
    await running.close();
    await agent.close();
    await memory.close();
  }
});
