import { expect, test } from '@jest/globals';
import type { OperationInput } from '../../rehearsal/call-types.ts';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { ADMIN, estate } from '../support/estate.ts';
import { receiveEvents } from '../support/event-receiver.ts';
import { noReport } from '../support/noted-report.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { withSteps } from '../support/steps/rehearsal-at.ts';
import { card } from '../support/steps/tender.ts';

type Beginning = Pick<NonNullable<OperationInput<'create-rehearsal'>['body']>, 'seed' | 'startsAt'>;
const BEGINNING = { seed: 'a story', startsAt: '2026-01-05T09:00:00Z' };
const BY_HAND = { warehouse: 'manual', carrier: 'manual', returns: 'manual' } as const;

const begun = async (beginning: Beginning) => withSteps(await openRehearsal(estate.gateway, BY_HAND, beginning));

type Control = Pick<Awaited<ReturnType<typeof openRehearsal>>['client'], 'control'>;

/**
 * A handler that runs again after a conflict makes its calls again, with the next numbers, and how often it does depends on the machine.
 * @returns a request id as it would be without these repeats
 */
function numbersWithoutRepeats(ids: readonly string[]): (id: string) => string {
  const siblings = Map.groupBy(ids, (id) => id.slice(0, id.lastIndexOf('.')));
  const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf('.') + 1));
  const number = (id: string): string => {
    const parent = id.slice(0, id.lastIndexOf('.'));
    if (!id.includes('.')) return id;
    const own = (siblings.get(parent) ?? []).filter((one) => /^\d+$/.test(one.slice(parent.length + 1)) && numberOf(one) < numberOf(id));
    return `${number(parent)}.${Number.isNaN(numberOf(id)) ? id.slice(parent.length + 1) : own.length + 1}`;
  };
  return number;
}

/** What a rehearsal recorded, without the members that how-to/isolate-tests.md lists as different in each rehearsal. */
async function recorded({ control }: Control, name: string) {
  const { items: all } = await control('read-journal', { query: { limit: 5_000 } });
  const hops = all.filter(({ unchanged = '' }) => !unchanged.startsWith('An earlier request with this Idempotency-Key'));
  const numbers = numbersWithoutRepeats(hops.map(({ requestId }) => requestId));
  const own = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(new RegExp(`${name}(~\\w+)?`, 'g'), 'NAME')
        .replaceAll(/req_\w+(?:\.[\w-]+)+/g, (id) => numbers(id)),
    );
  const { items: events } = await control('list-events', { query: { limit: 1_000, ext: 'true' } });
  const { items: moves } = await control('list-clock-moves');
  const { items: parked } = await control('list-parked');
  return own({
    hops: hops
      .map(({ sequence: _sequence, startedAt: _startedAt, durationMs: _durationMs, calls: _calls, ...hop }) => hop)
      .toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1)),
    events: events.map(({ event }) => event).toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)),
    moves: moves.map(({ movedAt: _movedAt, after: _after, ran: _ran, timers, ...move }) => ({
      ...move,
      timers: timers.filter(({ kind }) => kind !== 'take-events'),
    })),
    parked,
  });
}

/** From a basket to a partial return, a dispute and a payment that waits for its customer. */
async function story(beginning: Beginning, url?: string) {
  await using rehearsal = await begun(beginning);
  const { api, call, control, name } = rehearsal;
  if (url !== undefined)
    await control('put-webhook', { params: { name: 'mine' }, body: { url, types: ['order-confirmed', 'return-created'] } });
  const customer = await call('create-customer-api', {
    body: { email: 'zoe@people.example', firstName: 'Zoe', lastName: 'Marsh', consents: { emailMarketing: true } },
  });
  const { id: customerId } = customer.body;
  await api('enroll-loyalty-member-api', { body: { customerId } });
  const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 2 }], customerId);
  await rehearsal.inspected(order);
  await rehearsal.advance('P2D');
  await control('open-dispute', { params: { id: order.payments[0].id }, body: { reason: 'product_not_received' } });
  await rehearsal.progress({ warehouse: 'time', carrier: 'time' });
  await rehearsal.confirmed({ customerId });
  await rehearsal.advance('P8D');
  const draft = await rehearsal.draft({ customerId });
  const headers = { 'idempotency-key': 'pay-once' };
  const body = { orderId: draft.id, tender: card('tok_3ds'), returnUrl: 'https://shop.example/paid' };
  const waiting = await call('authorize-payment-api', { body, headers });
  const again = await call('authorize-payment-api', { body, headers });
  const missing = await call('get-order-api', { params: { id: 'ord_none' } });
  await rehearsal.settle();
  await rehearsal.verify();
  const answers = [customer, waiting, again, missing].map(({ status, headers: { date: _date, ...sent }, body: got }) => ({
    status,
    sent,
    got: JSON.stringify(got).replaceAll(name, 'NAME'),
  }));
  return { ...(await recorded(rehearsal, name)), answers };
}

test('The same calls get the same answers, ids, codes, events and journal in two rehearsals with one seed and start', async () => {
  await using receiver = await receiveEvents();
  const first = await story(BEGINNING, receiver.url);
  const sent = receiver.received.splice(0).map(({ id }) => id);
  expect(first.hops.length).toBeGreaterThan(100);
  expect(sent.length).toBeGreaterThan(1);
  expect(await story(BEGINNING, receiver.url)).toEqual(first);
  expect(receiver.received.map(({ id }) => id)).toEqual(sent);
  const isSent = ({ api }: { readonly api: string }) => api.startsWith('webhook:');
  expect((await story(BEGINNING)).hops).toEqual(first.hops.filter((hop) => !isSent(hop)));
});

test.each(['short-pick', 'return-by-parcel', 'exchange-with-surplus', 'carrier-down', 'webhook-storm'])(
  'The scenario %s repeats its events and its journal with a seed and a start',
  async (chosen) => {
    const scenario = scenarios.find(({ name }) => name === chosen);
    if (!scenario) throw new Error(`There is no scenario "${chosen}".`);
    const access = { gateway: estate.gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
    const run = async () => {
      let found: Awaited<ReturnType<typeof recorded>> | undefined;
      const passed = await runScenario(scenario, {
        ...access,
        report: noReport,
        beginning: BEGINNING,
        examine: async ({ client, name }) => {
          found = await recorded(client, name);
        },
      });
      return { passed, found };
    };
    const first = await run();
    expect(first.passed).toBe(true);
    expect(await run()).toEqual(first);
  },
);

/**
 * The events of a story.
 * @param pace `fast`: a request may begin while events of the last one are unsent or undelivered; `slow`: it never does
 * @param late the application whose answers take longer
 */
async function eventsAt(pace: 'fast' | 'slow', late: Application) {
  await using rehearsal = await begun(BEGINNING);
  const { api, control } = rehearsal;
  const paced = async <T>(request: Promise<T>): Promise<T> => {
    const answer = await request;
    if (pace === 'slow') await rehearsal.settle();
    return answer;
  };
  await rehearsal.progress({ warehouse: 'time', carrier: 'time' });
  await rehearsal.fault('late', { match: { application: late }, fault: { kind: 'latency', ms: 20 } });
  const email = 'zoe@people.example';
  const { id: customerId } = await paced(
    api('create-customer-api', { body: { email, firstName: 'Zoe', lastName: 'Marsh', consents: { emailMarketing: true } } }),
  );
  await paced(api('enroll-loyalty-member-api', { body: { customerId } }));
  const ordered = async (skus: readonly string[]) => {
    const basket = await paced(rehearsal.basket({ customerId, lines: skus.map((sku) => ({ sku, qty: 1 })) }));
    await paced(rehearsal.checkedOut(basket.id));
    const draft = await paced(rehearsal.draft(basket.id));
    await paced(rehearsal.authorisation(draft.id));
    return paced(rehearsal.confirmed(draft.id));
  };
  await ordered(['mug-blue', 'desk-two-nodes']);
  const cancelled = await ordered(['mug-blue']);
  await paced(rehearsal.cancel(cancelled.id));
  await rehearsal.advance('PT3H');
  const disputed = await ordered(['mug-green']);
  await ordered(['mug-blue']);
  await rehearsal.advance('P3D');
  await ordered(['mug-blue']);
  await paced(control('open-dispute', { params: { id: disputed.payments[0].id }, body: { reason: 'product_not_received' } }));
  await rehearsal.settle();
  const { items } = await control('list-events', { query: { limit: 1_000, ext: 'true' } });
  return items.map(({ order, event: { type, id } }) => [order, type, id].join(' '));
}

test('Events of several objects keep their order in rehearsals with one seed and start, however fast requests and answers are', async () => {
  const applications = ['oms', 'fms', 'payment-hub', 'sim', 'crm', 'wms'] as const;
  const worlds = applications.flatMap((late) => [eventsAt('fast', late), eventsAt('slow', late)]);
  const [first, ...others] = await Promise.all(worlds);
  expect(first?.length).toBeGreaterThan(50);
  for (const events of others) expect(events).toEqual(first);
});

/** The webhooks that a receiver got, in their order. @param afterMs wall time of the receiver for each of them, by its place */
async function webhooksWith(afterMs: (place: number) => number, beginning = BEGINNING) {
  let place = 0;
  await using receiver = await receiveEvents(() => ({ status: 204, afterMs: afterMs(place++) }));
  await using rehearsal = await begun(beginning);
  for (const name of ['one', 'another']) await rehearsal.control('put-webhook', { params: { name }, body: { url: receiver.url } });
  const order = await rehearsal.completed([
    { sku: 'mug-blue', qty: 2 },
    { sku: 'desk-two-nodes', qty: 1 },
  ]);
  await rehearsal.inspected(order);
  await rehearsal.advance('P2D');
  return receiver.received.map(({ id, type, subject }) => ({ id, type, subject }));
}

test('Receivers get the webhooks of a rehearsal with a seed in one order, however fast they answer', async () => {
  const [fast, ...slow] = await Promise.all([
    webhooksWith(() => 0),
    webhooksWith((place) => (place % 3) * 25),
    webhooksWith((place) => (place % 2 === 0 ? 40 : 0)),
  ]);
  expect(fast?.length).toBeGreaterThan(40);
  for (const webhooks of slow) expect(webhooks).toEqual(fast);
});

test('Receivers get webhooks about different objects in another order with another seed, and those about one object in their order', async () => {
  const [first, second] = await Promise.all(['one seed', 'another'].map((seed) => webhooksWith(() => 0, { ...BEGINNING, seed })));
  const types = (webhooks = first ?? []) => webhooks.map(({ type }) => type);
  expect(types(second).toSorted()).toEqual(types().toSorted());
  expect(types(second)).not.toEqual(types());
  const byObject = (webhooks = first ?? []) => [...Map.groupBy(webhooks, ({ subject }) => subject).values()].map(types).map(String).sort();
  expect(byObject(second)).toEqual(byObject());
});

test('A receiver of webhooks orders in a rehearsal with a seed before it answers', async () => {
  await using rehearsal = await begun(BEGINNING);
  const ordered: string[] = [];
  await using receiver = await receiveEvents(async ({ type }) => {
    if (type === 'order-confirmed' && ordered.length === 0) ordered.push((await rehearsal.draft()).state);
    return { status: 204 };
  });
  await rehearsal.control('put-webhook', { params: { name: 'mine' }, body: { url: receiver.url, types: ['order-confirmed'] } });
  await rehearsal.confirmed();
  await rehearsal.settle();
  expect(ordered).toEqual(['draft']);
  const { items } = await rehearsal.control('list-webhook-deliveries', { params: { name: 'mine' } });
  expect(items.map(({ state }) => state)).toEqual(['delivered']);
});

test('Parallel requests meet at a barrier in a rehearsal with a seed', async () => {
  await using rehearsal = await begun(BEGINNING);
  const { id } = await rehearsal.basket();
  await rehearsal.fault('together', { match: { api: 'add-line-to-basket-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
  const add = () => rehearsal.addLine(id, { sku: 'mug-green', qty: 1 });
  const replies = await Promise.all([add(), add()]);
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
  await rehearsal.verify();
});

const LATER = '2031-01-01T00:00:00Z';

test.each<[string, Beginning, { ids: boolean; times: boolean; flowing: boolean; idsLater: boolean }]>([
  ['seed and start', { seed: 42, startsAt: '2026-01-05T10:00:00+01:00' }, { ids: true, times: true, flowing: false, idsLater: true }],
  ['a seed', { seed: '42' }, { ids: false, times: false, flowing: true, idsLater: true }],
  ['a start', { startsAt: '2026-01-05T09:00:00Z' }, { ids: false, times: true, flowing: false, idsLater: false }],
  ['neither', {}, { ids: false, times: false, flowing: true, idsLater: false }],
])(
  'A reset repeats ids and times of a rehearsal that was created with %s, and Read Rehearsal shows them',
  async (_case, chosen, repeats) => {
    await using rehearsal = await begun(chosen);
    const seen = async () => {
      const { id, createdAt } = await rehearsal.basket();
      const { now, flowing, seed, startsAt } = await rehearsal.control('read-rehearsal', { params: { name: rehearsal.name } });
      await rehearsal.control('set-clock', { body: { flowing: false } });
      await rehearsal.control('advance-clock', { body: { to: LATER } });
      return { id, times: [createdAt, now], flowing, shown: [seed, startsAt], idLater: (await rehearsal.basket()).id };
    };
    const first = await seen();
    await rehearsal.control('reset-rehearsal');
    const second = await seen();
    expect({
      ids: first.id === second.id,
      times: first.times.join() === second.times.join(),
      flowing: first.flowing,
      idsLater: first.idLater === second.idLater,
    }).toEqual(repeats);
    const shown = [chosen.seed?.toString(), chosen.startsAt && '2026-01-05T09:00:00.000Z'];
    expect([first.shown, second.shown]).toEqual([shown, shown]);
  },
);

test.each(['2000-01-01T00:00:00Z', '9999-01-01T00:00:00Z'])('An order is delivered in a rehearsal that starts at %s', async (startsAt) => {
  await using rehearsal = await begun({ startsAt });
  expect(await rehearsal.completed()).toMatchObject({ state: 'completed', createdAt: startsAt.replace('Z', '.000Z') });
  await rehearsal.verify();
});

const fork = (of: string, seed?: string) =>
  EstateRehearsal.create({ gateway: estate.gateway, credentials: DEMO_CREDENTIALS }, { from: { rehearsal: of }, seed });
const body = { channel: 'web' } as const;

test.each<[string, Beginning, string | undefined, boolean]>([
  ['keeps the seed of the first rehearsal', BEGINNING, undefined, true],
  ['takes a new seed', { startsAt: BEGINNING.startsAt }, 'from here', true],
  ['has other ids without a seed', { startsAt: BEGINNING.startsAt }, undefined, false],
])('A fork %s, and never repeats an id that it has', async (_case, beginning, seed, isSame) => {
  await using rehearsal = await begun(beginning);
  const before = await rehearsal.api('create-basket-api', { body });
  await using one = await fork(rehearsal.name, seed);
  await using two = await fork(rehearsal.name, seed);
  const [first, second] = [await one.api('create-basket-api', { body }), await two.api('create-basket-api', { body })];
  expect([first.id === second.id, first.id === before.id]).toEqual([isSame, false]);
});

test('A call whose answer was lost before a fork is repeated there with its key, and gets the stored answer', async () => {
  await using rehearsal = await begun({});
  await rehearsal.progress({ warehouse: 'time' });
  await rehearsal.fault('lost', { match: { api: 'record-picking' }, fault: { kind: 'lost-response' } });
  await rehearsal.confirmed();
  await rehearsal.advance('PT1H');
  await using forked = await fork(rehearsal.name);
  await forked.deleteFaults();
  await forked.advance('P1D');
  const { items } = await forked.control('read-journal', { query: { limit: 1_000 } });
  const [repeated] = items.filter(({ api }) => api === 'record-picking');
  expect(repeated?.unchanged).toMatch(/^An earlier request with this Idempotency-Key was carried out/);
});

test('A seed and a start that cannot be used are refused with their places', async () => {
  await using rehearsal = await begun({});
  for (const startsAt of ['1999-12-31T23:59:59Z', '9999-06-01T00:00:00Z']) {
    const refused = await rehearsal.call('create-rehearsal', { body: { seed: 1.5, startsAt } });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/seed' }, { pointer: '/startsAt', code: 'out_of_range' }] },
    });
  }
  const { startsAt } = BEGINNING;
  const forked = await rehearsal.call('create-rehearsal', { body: { from: { rehearsal: rehearsal.name }, startsAt } });
  expect(forked).toMatchObject({ status: 422, body: { errors: [{ pointer: '/startsAt', code: 'not_together' }] } });
  const refused = await rehearsal.call('create-rehearsal', { body: { seed: '', startsAt: 'tomorrow' } });
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/seed', '/startsAt']);
});
