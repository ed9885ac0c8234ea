import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callOfApi } from '../../rehearsal/estate-client.ts';
import { anObservedEstate, type ObservedEstate } from '../observability/observed-estate.ts';
import { plain } from '../support/plain-client.ts';

const LIMIT = 1_000_000;
const NOTE = 'x'.repeat(2_000);
const MOST_CALLS = 1_000;

let estate: ObservedEstate;
beforeAll(async () => {
  estate = await anObservedEstate({ MAX_REHEARSAL_BYTES: String(LIMIT) });
});
afterAll(async () => {
  await estate[Symbol.asyncDispose]();
});

const inside = (rehearsal: string) => {
  const { call } = plain(estate.client);
  const headers = { 'x-rehearsal': rehearsal };
  const { method, path } = callOfApi('log-interaction-api');
  return {
    visit: () => call(method, path, { customerId: 'cus_ada', type: 'visit', note: NOTE }, { headers }),
    ada: () => call('GET', '/customers/cus_ada', undefined, { headers }),
    admin: (verb: string, to: string, body?: unknown) => call(verb, `/_control${to}`, body, { as: 'admin', headers }),
  };
};

/** One client that writes as fast as it can. @returns the first refusal */
async function fill({ visit }: ReturnType<typeof inside>) {
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const reply = await visit();
    // With many concurrent clients, some requests are refused for contention, or because the CRM refuses a call for lack of space.
    if (reply.status !== 201 && reply.status !== 503) return reply;
  }
  throw new Error('never full');
}

const contentsOf = async (name: string) =>
  (await estate.client.control('list-rehearsals')).items.find((one) => one.name === name)?.contents;

test('A rehearsal at MAX_REHEARSAL_BYTES refuses changes with 507, while reading, the control plane and other rehearsals work', async () => {
  const full = inside('full');
  const body = { code: 'rehearsal_full', retryable: false, rehearsal: 'full', limit: LIMIT, bytes: expect.any(Number) };
  const detail = expect.stringMatching(/Reset it with POST \/_control\/reset, delete it, or raise MAX_REHEARSAL_BYTES/);
  expect(await fill(full)).toMatchObject({ status: 507, body: { ...body, detail } });
  expect(await full.ada()).toMatchObject({ status: 200 });
  expect(await full.admin('POST', '/settle', {})).toMatchObject({ status: 200, body: { settled: true } });
  expect(await full.admin('POST', '/clock/advance', { by: 'P1D' })).toMatchObject({ status: 200, body: { settled: true } });
  expect(await full.admin('GET', '/verify')).toMatchObject({ status: 200, body: { holds: true } });
  expect(await full.admin('PUT', '/progression', { carrier: 'manual' })).toMatchObject({ status: 200 });
  expect(await inside('other').visit()).toMatchObject({ status: 201 });
  expect(await full.admin('POST', '/reset', {})).toMatchObject({ status: 200 });
  expect(await full.visit()).toMatchObject({ status: 201 });
});

test('A full rehearsal has room for started work, however many concurrent clients write', async () => {
  const many = inside('many');
  const refusals = await Promise.all(Array.from({ length: 30 }, () => fill(many)));
  expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([507]));
  expect((await contentsOf('many'))?.journal).toBeGreaterThan(0);
  expect(await many.admin('POST', '/settle', {})).toMatchObject({ body: { settled: true } });
  expect(await many.admin('GET', '/verify')).toMatchObject({ body: { holds: true } });
  expect((await contentsOf('many'))?.bytes).toBeGreaterThan(LIMIT);
  expect(await many.admin('DELETE', '/rehearsals/many')).toMatchObject({ status: 204 });
});
