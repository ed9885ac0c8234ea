import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test as plainTest } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { isThorough, someOf } from '../support/effort.ts';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { sharedIn, testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);
const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
const freshName = () => `f-${randomBytes(6).toString('hex')}`;

// biome-ignore lint/suspicious/noExplicitAny: tests change files of any shape
type File = any;

/** A rehearsal and the file of its world, with rows in each section but `outbox`, which is empty at rest. */
async function aFile() {
  const rehearsal = await newRehearsal();
  await rehearsal.confirmed();
  await rehearsal.fault('late', { match: { event: 'basket-created' }, fault: { kind: 'withhold' } });
  await rehearsal.call('create-basket-api', { body: { channel: 'web', lines: [] }, headers: { 'idempotency-key': freshName() } });
  await rehearsal.settle();
  const file: File = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
  file.numbers = { 'create-basket-api': 3 };
  file.parked = [{ what: 'due', key: 'oms|expire-draft|x', error: 'It failed.', at: Date.parse(file.clock.now) }];
  file.due.push({ ...file.due[0], key: `${file.due[0].key}.2` });
  return { rehearsal, text: JSON.stringify(file), [Symbol.asyncDispose]: () => rehearsal[Symbol.asyncDispose]() };
}

const shared = sharedIn(aFile);

const upload = (rehearsal: TestRehearsal, body: File | string, query: Record<string, 'true' | string> = { reseal: 'true' }) =>
  rehearsal.call('upload-snapshot', {
    query: { name: freshName(), ...query } as never,
    body: typeof body === 'string' ? JSON.parse(body) : body,
  });

/** The reads of the control plane that need no parameter. */
const reads = Object.values(controlOperations).filter(
  ({ method, path, ...operation }) =>
    method === 'GET' && !path.includes('{') && !('stream' in operation) && !/stream|diff|search/.test(path),
);

/** The statuses of reads and moves in a world that is opened from a snapshot, where they are failures of the estate. */
async function failuresIn(snapshot: string): Promise<string[]> {
  await using opened = await EstateRehearsal.create(access, { from: { snapshot } });
  const failures: string[] = [];
  const send = async (method: 'GET' | 'POST', path: string, body?: object): Promise<void> => {
    const { status } = await opened.client.call(method as 'GET', path, body, { as: 'admin' });
    if (status >= 500) failures.push(`${method} ${path}: ${status}`);
  };
  for (const { path } of reads) await send('GET', path);
  await send('POST', '/_control/clock/advance', { by: 'P1D', timeoutMs: 5_000 });
  await send('POST', '/_control/verify', {});
  await send('GET', `/_control/diff?from=snapshot:${snapshot}&to=rehearsal:${opened.name}`);
  return failures;
}

type Change = (holder: File, name: string) => void;
const changes: Readonly<Record<string, Change>> = {
  'is huge': (holder, name) => Object.assign(holder, { [name]: typeof holder[name] === 'string' ? 'x'.repeat(50_000) : 1e300 }),
  'is negative': (holder, name) => Object.assign(holder, { [name]: -1e300 }),
  'is a fraction': (holder, name) => Object.assign(holder, { [name]: 0.5 }),
  'is null, as JSON writes NaN': (holder, name) => Object.assign(holder, { [name]: Number.NaN }),
  'is of another type': (holder, name) => Object.assign(holder, { [name]: typeof holder[name] === 'object' ? 'text' : { toString: 1 } }),
  'is missing': (holder, name) => Reflect.deleteProperty(holder, name),
  'is an empty text': (holder, name) => Object.assign(holder, { [name]: '' }),
  'has a neighbour': (holder) => Object.assign(holder, { teapot: 1 }),
  'has a neighbour with the name of the prototype': (holder) =>
    void Object.defineProperty(holder, '__proto__', { value: 1, enumerable: true, configurable: true }),
};

/** A place of each kind of member: the first row of a list stands for all. Objects have their own schemas, which other tests try. */
function* placesIn(value: File, path: readonly string[] = []): Generator<readonly string[], void> {
  if (typeof value !== 'object' || value === null || path.length > 7) return;
  for (const name of Array.isArray(value) ? ['0'] : Object.keys(value).slice(0, path.at(-1) === 'applications' ? 3 : 20)) {
    if (!Object.hasOwn(value, name)) continue;
    const at = [...path, name];
    yield at;
    if (!['object', 'data', 'response', 'request', 'payload', 'answer'].includes(name) || path.length === 0)
      yield* placesIn(value[name], at);
  }
}

/** The format has no type for these. */
const HAS_ANY_TYPE: ReadonlySet<string> = new Set(['payload', 'request', 'response', 'answer']);

describe('Files', () => {
  plainTest(
    'A file with any wrong member is refused, or opens as a world that can be read',
    async () => {
      const { rehearsal, text } = shared;
      const kinds = Object.entries(changes);
      const failures: string[] = [];
      const places = [...placesIn(JSON.parse(text))];
      for (const [tried, path] of someOf(places, 0.15).entries()) {
        for (const [what, change] of isThorough ? kinds : [kinds[tried % kinds.length] as (typeof kinds)[number]]) {
          const file = JSON.parse(text);
          const holder = path.slice(0, -1).reduce((inner, name) => inner[name], file);
          change(holder, path.at(-1) ?? '');
          const { status, body } = await upload(rehearsal, file, { reseal: 'true', unverified: 'true' });
          if (status >= 500) failures.push(`/${path.join('/')} ${what}: ${status}`);
          if (status >= 300) continue;
          failures.push(...(await failuresIn(body.name)).map((failure) => `/${path.join('/')} ${what}: ${failure}`));
          await rehearsal.control('delete-snapshot', { params: { name: body.name } });
        }
      }
      expect([places.length > 100, failures]).toEqual([true, []]);
    },
    1_200_000,
  );

  plainTest(
    'A file with an object for a list, or a list for an object, is refused with its place',
    async () => {
      const { rehearsal, text } = shared;
      // Short lists: what the format refuses needs no other row.
      const short = JSON.stringify(JSON.parse(text, (_name, value) => (Array.isArray(value) ? value.slice(0, 1) : value)));
      const failures: string[] = [];
      const places = [...placesIn(JSON.parse(short))].filter((path) => !HAS_ANY_TYPE.has(path.at(-1) ?? ''));
      for (const path of places) {
        const file = JSON.parse(short);
        const holder = path.slice(0, -1).reduce((inner, name) => inner[name], file);
        const name = path.at(-1) ?? '';
        if (typeof holder[name] !== 'object' || holder[name] === null) continue;
        holder[name] = Array.isArray(holder[name]) ? {} : [];
        const { status, body } = await upload(rehearsal, file, { reseal: 'true', unverified: 'true', dryRun: 'true' });
        const isNamed = body.errors?.some(({ pointer }: File) => pointer.startsWith(`/${path.join('/')}`));
        if (status !== 422 || !isNamed) failures.push(`/${path.join('/')}: ${status}`);
      }
      expect([places.length > 100, failures]).toEqual([true, []]);
    },
    300_000,
  );

  const refused: readonly (readonly [what: string, change: (file: File) => unknown, pointer: RegExp, code: string])[] = [
    [
      'a counter below zero',
      ({ applications }) => Object.assign(Object.values<File>(applications['inventory-service'].counters.stock)[0], { missingSafety: -1 }),
      /^\/applications\/inventory-service\/counters\/stock\/[^/]+\/missingSafety$/,
      'below_zero',
    ],
    [
      'a counter of the first data below zero',
      ({ seed }) => Object.assign(Object.values<File>(seed.applications['inventory-service'].counters.stock)[0], { reserved: -1 }),
      /^\/seed\/applications\/.*\/reserved$/,
      'below_zero',
    ],
    [
      'a withheld event with another id than its work',
      ({ due }) => {
        const work = due.find(({ kind }: File) => kind === 'publish-held-event');
        work.payload.json = work.payload.json.replace(/"id":"evt_[^"]*"/, '"id":"evt_other"');
      },
      /^\/due\/\d+\/payload\/id$/,
      'other_event',
    ],
    ['work without a payload', ({ due }) => Reflect.deleteProperty(due[0], 'payload'), /^\/due\/0\/payload$/, 'required'],
    ['an event twice', ({ events }) => events.push(events[0]), /^\/events\/\d+\/event\/id$/, 'not_unique'],
    [
      'a member with the name of the prototype',
      ({ clock }) => Object.defineProperty(clock, '__proto__', { value: 1, enumerable: true }),
      /^\/clock\/__proto__$/,
      'unknown_member',
    ],
    [
      'a counter with the name of the prototype',
      ({ applications }) => Object.defineProperty(applications.oms.counters, '__proto__', { value: {}, enumerable: true }),
      /^\/applications\/oms\/counters\/__proto__$/,
      'unknown_member',
    ],
    [
      'a hop that took less than no time',
      ({ journal }) => Object.assign(journal[0].hop, { durationMs: -1e300 }),
      /^\/journal\/0\/hop\/durationMs$/,
      'too_small',
    ],
    [
      'a hop beyond every clock',
      ({ journal }) => Object.assign(journal[0].hop, { at: '9999-06-01T00:00:00.000Z' }),
      /^\/journal\/0\/hop\/at$/,
      'too_late',
    ],
    [
      'bodies that replace the head of a hop',
      ({ journal }) => Object.assign(journal[0], { bodies: { requestId: 1 } }),
      /^\/journal\/0\/bodies\/requestId$/,
      'unknown_member',
    ],
    ['an object for its events', (file) => Object.assign(file, { events: {} }), /^\/events$/, 'invalid_type'],
    ['an object for its journal', (file) => Object.assign(file, { journal: { length: 5 } }), /^\/journal$/, 'invalid_type'],
    [
      'an object for the objects of a collection',
      ({ applications }) => Object.assign(applications.oms.objects, { orders: { 0: {} } }),
      /^\/applications\/oms\/objects\/orders$/,
      'invalid_type',
    ],
    [
      'a long text in an object',
      ({ applications }) => Object.assign(applications.crm.objects.customers[0].object, { firstName: '1'.repeat(200_000) }),
      /^\/applications\/crm\/objects\/customers\/0\/object\/firstName$/,
      'too_big',
    ],
    [
      'more numbers than an estate has operations',
      (file) => Object.assign(file, { numbers: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`n${n}`, 1])) }),
      /^\/numbers$/,
      'too_big',
    ],
    [
      'a price below zero',
      ({ applications }) => Object.assign(applications['ecommerce-platform'].objects.products[0].object.price, { amount: -1 }),
      /^\/applications\/ecommerce-platform\/objects\/products\/0\/object\/price\/amount$/,
      'does_not_fit',
    ],
    ['no version of its estate', (file) => Object.assign(file, { estate: '' }), /^\/estate$/, 'too_small'],
    [
      'no data of an application',
      ({ applications }) => Reflect.deleteProperty(applications, 'oms'),
      /^\/applications\/oms\/objects\/retailer$/,
      'required',
    ],
    [
      'no objects of an application',
      ({ applications }) => Object.assign(applications.crm, { objects: {} }),
      /^\/applications\/crm\/objects\/retailer$/,
      'required',
    ],
    [
      'no retailer at the start of an application',
      ({ seed }) => Object.assign(seed.applications.crm.objects, { retailer: [] }),
      /^\/seed\/applications\/crm\/objects\/retailer$/,
      'required',
    ],
    ['a long lineage', (file) => Object.assign(file, { lineage: 'x'.repeat(500_000) }), /^\/lineage$/, 'too_big'],
    [
      'an application with a long name',
      ({ applications }) => Object.assign(applications, { ['x'.repeat(500_000)]: applications.oms }),
      /^\/applications\/x{100}…$/,
      'too_big',
    ],
    [
      'more due work at the start than a world has',
      ({ seed, due }) => {
        const { application, kind, key, correlationId, at } = due[0];
        seed.due = Array.from({ length: 20_001 }, () => ({ application, kind, key, correlationId, at }));
      },
      /^\/seed\/due$/,
      'too_big',
    ],
    [
      'a content type of two lines',
      ({ applications }) => Object.assign(applications['ecommerce-platform'].requests[0].answer, { contentType: 'a\r\nb: c' }),
      /^\/applications\/ecommerce-platform\/requests\/0\/answer\/contentType$/,
      'invalid_format',
    ],
    [
      'a number that cannot be raised',
      (file) => Object.assign(file, { numbers: { 'create-basket-api': 9_007_199_254_740_991 } }),
      /^\/numbers\/create-basket-api$/,
      'too_big',
    ],
  ];

  plainTest.each(refused)('A file with %s is refused with its place', async (_what, change, pointer, code) => {
    const { rehearsal, text } = shared;
    const file = JSON.parse(text);
    change(file);
    const { status, body } = await upload(rehearsal, file, { reseal: 'true', unverified: 'true' });
    expect([status, body.errors]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ code, pointer: expect.stringMatching(pointer) })]),
    ]);
  });

  plainTest('A check of a file stops at its first twenty mistakes', async () => {
    const { rehearsal, text } = shared;
    const file = JSON.parse(text);
    file.deliveries = Array.from({ length: 900 }, (_, n) => `oms|evt_${n}`);
    const { status, body } = await upload(rehearsal, file);
    expect([status, body.errors.length, body.errorsOmitted]).toEqual([422, 20, undefined]);
  });

  const names = (count: number): string => Array.from({ length: count }, (_, n) => `{"k${n}":0}`).join();

  plainTest.each<[string, string, string?]>([
    ['many numbers', `"deliveries":[${'1,'.repeat(300_000)}1]`],
    ['six megabytes of empty lists', `"deliveries":[${'[],'.repeat(2_000_000)}1]`],
    ['many names', `"data":{"x":[${names(60_000)}]}`, '50,000 different names'],
    ['many nested lists', `"data":{"x":[${`${'['.repeat(40)}${']'.repeat(40)},`.repeat(20_000)}1]}`],
  ])('A file with %s is refused before it is parsed', async (_what, members, excess = 'values in all') => {
    const { rehearsal } = shared;
    const text = `{"format":"unified-commerce-estate-snapshot","version":1,${members}}`;
    const response = await fetch(`${estate.gateway}/_control/snapshots`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-control-token', 'content-type': 'application/json', 'x-rehearsal': rehearsal.name },
      body: text,
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'malformed_request', detail: expect.stringContaining(excess) }),
    ]);
  });
});

/** A file of more than a megabyte. */
function aLargeFile(): File {
  const large: File = JSON.parse(shared.text);
  const [event] = large.events;
  const padding = 'x'.repeat(2_000);
  for (let n = 0; n < 600; n++) large.events.push({ ...event, event: { ...event.event, id: `evt_${n}`, padding } });
  return large;
}

test('An upload whose client disconnects while its file is checked is not kept', async (rehearsal) => {
  const [left, sent] = [freshName(), freshName()];
  const query = { reseal: 'true', unverified: 'true' };
  const leaving = request(`${estate.gateway}/_control/snapshots?${new URLSearchParams({ name: left, ...query })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${DEMO_CREDENTIALS.admin}` },
  });
  const isOver = new Promise((resolve) => leaving.once('error', resolve));
  await new Promise<void>((resolve) => leaving.end(JSON.stringify(aLargeFile()), resolve));
  // The gateway has read the file when it answers a later request.
  await rehearsal.control('list-snapshots');
  leaving.destroy();
  await isOver;
  // Files are checked one after the other.
  const kept = await upload(rehearsal, aLargeFile(), { name: sent, ...query });
  const { items } = await rehearsal.control('list-snapshots');
  const found = items.filter(({ name }) => name === left || name === sent).map(({ name }) => name);
  await rehearsal.control('delete-snapshot', { params: { name: sent } });
  expect([kept.status, found]).toEqual([200, [sent]]);
}, 60_000);

test('A file above one megabyte is checked in a thread, by the same rules as a small one', async (rehearsal) => {
  const large = aLargeFile();
  const query = { reseal: 'true', unverified: 'true' };
  const kept = await upload(rehearsal, large, query);
  expect([kept.status, kept.body.bytes > 1_048_576, kept.body.events]).toEqual([200, true, large.events.length]);
  const same = await rehearsal.control('read-snapshot', { params: { name: kept.body.name } });
  const again = await rehearsal.call('upload-snapshot', { query: { name: kept.body.name, unverified: 'true' }, body: same });
  expect([again.status, again.body.digest]).toEqual([200, kept.body.digest]);
  await rehearsal.control('delete-snapshot', { params: { name: kept.body.name } });
  large.due[0].kind = 'make-tea';
  large.events[0].event.padding = '4111 1111 1111 1111';
  const secret = await upload(rehearsal, large, query);
  expect([secret.status, secret.body.errors[0].code]).toEqual([422, 'card_number']);
  large.events[0].event.padding = '';
  const refused = await upload(rehearsal, large, query);
  expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'unknown_kind']);
}, 120_000);
