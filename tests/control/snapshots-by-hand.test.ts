import { expect, test } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { dueWork } from '../../shared/catalog/due-work.ts';
import { estate, newRehearsal } from '../support/estate.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests change files of any shape
type File = any;

/** A member, or the value that replaces it. */
type Edit = readonly [what: string, change: (file: File) => unknown, pointer: string, code: string];

const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };

const names = ['s34/x', 'Bad Name', '', 'x'.repeat(3_000)].map(
  (name): Edit => [`the name "${name.slice(0, 20)}"`, (file) => Object.assign(file, { name }), '/name', 'invalid_format'],
);

const continuation: readonly Edit[] = [
  ['a clock after its end', (file) => Object.assign(file.clock, { now: '9999-01-01T00:00:00.001Z' }), '/clock/now', 'too_late'],
  ['a clock before its start', (file) => Object.assign(file.clock, { now: '1999-12-31T00:00:00.000Z' }), '/clock/now', 'too_early'],
  ['work at no time', (file) => Object.assign(file.due[0], { at: 9e18 }), '/due/0/at', 'too_late'],
  ['work after the end of clocks', (file) => Object.assign(file.due[0], { at: 8.64e15 }), '/due/0/at', 'too_late'],
  ['work before 1970', (file) => Object.assign(file.due[0], { at: -5 }), '/due/0/at', 'too_early'],
  ['work before the world', (file) => Object.assign(file.due[0], { at: Date.UTC(2001, 0, 1) }), '/due/0/at', 'too_early'],
  ['a number behind the ids', (file) => Object.assign(file.numbers, { 'create-basket-api': 0 }), '/numbers/create-basket-api', 'too_small'],
  ['no number for the ids', (file) => Reflect.deleteProperty(file.numbers, 'create-basket-api'), '/numbers/create-basket-api', 'too_small'],
  ['a seed after the end of clocks', (file) => Object.assign(file.seed, { now: 9e18 }), '/seed/now', 'too_late'],
  ['a start before all clocks', (file) => Object.assign(file.seed.beginning, { startsAt: -1 }), '/seed/beginning/startsAt', 'too_early'],
];

/** Begins one thing of each kind that waits for the clock. */
async function manyTimers(rehearsal: Awaited<ReturnType<typeof newRehearsal>>): Promise<void> {
  const { id: open } = await rehearsal.draft();
  await rehearsal.authorisation(open, undefined, 'tok_async_approve');
  await rehearsal.authorised();
  await rehearsal.checkedOut();
  await rehearsal.sale();
  await rehearsal.announced(await rehearsal.completed(), 1);
  await rehearsal.basket();
  await rehearsal.dispatchedOrder();
  await rehearsal.confirmed();
  await rehearsal.settle();
}

const recordOf = (file: File) => file.applications['ecommerce-platform'].requests[0];

const [EVENT, FAULT, BASKET] = ['/events/0/event', '/faults/rules/0', '/applications/ecommerce-platform/objects/baskets/0/object'];
const contents: readonly Edit[] = [
  [
    'an unknown event',
    (file) => Object.assign(file.events[0].event, { type: 'com.unified-commerce.tea-made' }),
    `${EVENT}/type`,
    'unknown_event',
  ],
  ['an event of another object', (file) => Object.assign(file.events[0].event, { subject: 'cup/1' }), `${EVENT}/subject`, 'other_subject'],
  [
    'an event without its object',
    (file) => Reflect.deleteProperty(file.events[0].event.data, 'object'),
    `${EVENT}/data/object`,
    'required',
  ],
  [
    'an unknown member of an object',
    (file) => Object.assign(file.applications['ecommerce-platform'].objects.baskets[0].object, { tea: 1 }),
    `${BASKET}/tea`,
    'unknown_member',
  ],
  ['a name that no fault may have', (file) => Object.assign(file.faults.rules[0], { name: 'a b/c' }), `${FAULT}/name`, 'invalid_format'],
  [
    'a seeded object that does not fit its schema',
    (file) => Reflect.deleteProperty(file.seed.applications.crm.objects.customers[0], 'state'),
    '/seed/applications/crm/objects/customers/0/state',
    'invalid_value',
  ],
  [
    'a seeded object that refers to none',
    (file) => Object.assign(file.seed.applications.crm.objects.customers[0], { loyaltyAccountId: 'loy_none' }),
    '/seed/applications/crm/objects/customers/0',
    'unknown_reference',
  ],
  [
    'a seeded counter that does not exist',
    (file) => Object.assign(file.seed.applications['inventory-service'].counters, { tea: {} }),
    '/seed/applications/inventory-service/counters/tea',
    'unknown_counter',
  ],
  [
    'a withheld event of another object',
    (file) => {
      const { payload } = file.due.find((item: File) => item.withheldBy === 'late');
      payload.json = JSON.stringify({ ...JSON.parse(payload.json), subject: 'cup/1' });
    },
    '/due/',
    'other_subject',
  ],
  [
    'an event of another application',
    (file) => Object.assign(file.events[0].event, { source: 'urn:uc:app:touchpoint-mock' }),
    '/events/0/event/source',
    'other_source',
  ],
  [
    'an event whose source is a number',
    (file) => Object.assign(file.events[0].event, { source: -1 }),
    '/events/0/event/source',
    'invalid_type',
  ],
  [
    'a withheld event whose text cannot be parsed',
    (file) => Object.assign(file.due.find((item: File) => item.withheldBy === 'late').payload, { json: 'tea' }),
    '/due/',
    'invalid_event',
  ],
  [
    'an idempotency record whose answer has no status',
    (file) => Object.assign(recordOf(file), { answer: { status: 'fine' } }),
    '/applications/ecommerce-platform/requests/0/answer/',
    'invalid_type',
  ],
  [
    'two idempotency records of one key',
    (file) => file.applications['ecommerce-platform'].requests.push(recordOf(file)),
    '/applications/ecommerce-platform/requests/',
    'not_unique',
  ],
  ['seeded work of an unknown kind', (file) => Object.assign(file.seed.due[0], { kind: 'make-tea' }), '/seed/due/0/kind', 'unknown_kind'],
  [
    'seeded work with a payload of another kind',
    (file) => Object.assign(file.seed.due[0], { payload: { tea: 1 } }),
    '/seed/due/0/payload/since',
    'required',
  ],
  [
    'parked work with a payload of another kind',
    (file) => {
      const { application, kind, key, correlationId } = file.due.find((item: File) => item.kind === 'basket-idle');
      const item = { application, kind, key, correlationId, payload: { tea: 1 } };
      file.parked.push({ what: 'due', key: `${application}|${kind}|${key}`, error: 'It failed.', at: Date.parse(file.clock.now), item });
    },
    '/parked/0/item/payload',
    'unknown_member',
  ],
  [
    'work about no object',
    (file) =>
      Object.assign(
        file.due.find((item: File) => item.kind === 'basket-idle'),
        { key: 'bsk_none' },
      ),
    '/due/',
    'unknown_reference',
  ],
];

test('A file that was changed by hand is refused where the world could not continue', async () => {
  await using rehearsal = await EstateRehearsal.create(access, { seed: 'by hand', startsAt: '2030-01-01T00:00:00Z' });
  for (let count = 0; count < 2; count++) await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [] } });
  await rehearsal.control('put-fault', {
    params: { name: 'slow' },
    body: { match: { application: 'fms' }, fault: { kind: 'latency', ms: 1 } },
  });
  await rehearsal.control('put-fault', {
    params: { name: 'late' },
    body: { match: { event: 'basket-created' }, fault: { kind: 'withhold' } },
  });
  await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [] }, headers: { 'idempotency-key': 'by-hand' } });
  await rehearsal.settle();
  const text = JSON.stringify(await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } }));
  const upload = async (file: File) => {
    const { status, body } = await rehearsal.client.call('POST', '/_control/snapshots?dryRun=true&reseal=true', file, { as: 'admin' });
    const errors = (body as File).errors?.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    return { status, errors };
  };
  expect(await upload(JSON.parse(text))).toEqual({ status: 200, errors: undefined });
  for (const [what, change, pointer, code] of [...names, ...continuation, ...contents]) {
    const file = JSON.parse(text);
    change(file);
    const { status, errors } = await upload(file);
    const found = errors?.some((error: string) => error.startsWith(pointer) && error.endsWith(` ${code}`));
    expect([what, status, found || errors]).toEqual([what, 422, true]);
  }
});

test('A file is refused when the payload of due work does not fit its kind', async () => {
  await using rehearsal = await newRehearsal({ carrier: 'time', returns: 'time', warehouse: 'time' });
  await manyTimers(rehearsal);
  const text = JSON.stringify(await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } }));
  const seen = new Set<string>();
  for (const [place, { kind }] of (JSON.parse(text) as File).due.entries()) {
    if (seen.has(kind)) continue;
    seen.add(kind);
    const file = JSON.parse(text);
    file.due[place].payload = { zz: 1 };
    const { status, body } = await rehearsal.call('upload-snapshot', { query: { dryRun: 'true', reseal: 'true' }, body: file });
    const found = body.errors?.some(({ pointer }: File) => pointer.startsWith(`/due/${place}/payload`));
    expect([kind, status, found || body]).toEqual([kind, 422, true]);
  }
  expect(seen.size).toBeGreaterThan(10);
});

test('A file is refused when a step or a deadline that one of its objects waits for is missing', async () => {
  await using rehearsal = await newRehearsal({ carrier: 'time', returns: 'time', warehouse: 'time' });
  await manyTimers(rehearsal);
  const text = JSON.stringify(await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } }));
  const seen = new Set<string>();
  for (const [place, { application, kind }] of (JSON.parse(text) as File).due.entries()) {
    const { role, object } = (dueWork as File)[application][kind];
    if (role === 'repair' || object === undefined || seen.has(kind)) continue;
    seen.add(kind);
    const file = JSON.parse(text);
    file.due.splice(place, 1);
    const { status, body } = await rehearsal.call('upload-snapshot', { query: { dryRun: 'true', reseal: 'true' }, body: file });
    const found = body.errors?.some(({ detail }: File) => detail.includes(`this work (${kind}) is missing`));
    expect([kind, status, found || body]).toEqual([kind, 422, true]);
  }
  expect([...seen].sort()).toEqual([
    'approve-payment',
    'basket-idle',
    'checkout-ttl',
    'expire-authorization',
    'expire-draft',
    'expire-reservation',
    'expire-transaction',
    'give-up-parcel',
    'give-up-payment',
    'idle',
    'planned-scan',
    'return-step',
    'warehouse-step',
  ]);
});
