import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { bare, FREE_PORTS, MAIN, started } from './started.ts';

/** Less than the heap of a container, so that it is soon full. */
const HEAP_MIB = 144;
const NOTE = 'x'.repeat(2_000);
/** More than fit. */
const MOST = 300;

const customer = (n: number) => ({
  ...{ id: `cus_own${n}`, firstName: 'Ann'.padEnd(80, 'n'), lastName: `Own ${n}`, email: `own${n}@example.test` },
  ...{
    state: 'registered',
    createdAt: '-P9D',
    addresses: [],
    interactions: [],
    consents: { emailMarketing: false, smsMarketing: false, profiling: false },
  },
});
const OWN = { customers: Array.from({ length: 1_000 }, (_, n) => customer(n)) };

async function smallEstate() {
  const estate = started(process.execPath, [`--max-old-space-size=${HEAP_MIB}`, MAIN], { env: { ...bare(), ...FREE_PORTS } });
  await estate.ready();
  const call = async (method: string, path: string, { rehearsal, body }: { rehearsal?: string; body?: unknown } = {}) => {
    const token = path.startsWith('/_control') ? 'demo-control-token' : 'demo-integration-token';
    const reply = await fetch(`${estate.gateway()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(rehearsal !== undefined && { 'x-rehearsal': rehearsal }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { estate, call, [Symbol.asyncDispose]: () => estate[Symbol.asyncDispose]() };
}

test('A rehearsal that grows reaches its limit before it fills the heap, and others continue', async () => {
  await using small = await smallEstate();
  const visit = (rehearsal: string) =>
    small.call('POST', '/interactions', { rehearsal, body: { customerId: 'cus_ada', type: 'visit', note: NOTE } });
  let answer = await visit('growing');
  for (let n = 0; n < 3_000 && answer.status === 201; n++) answer = await visit('growing');
  expect(answer).toMatchObject({ status: 507, body: { code: 'rehearsal_full', rehearsal: 'growing' } });
  expect([(await visit('another')).status, await small.estate.stop()]).toEqual([201, 0]);
}, 180_000);

test('Rehearsals that fill the heap together are refused, leave the others their share, and a deleted one makes room', async () => {
  await using small = await smallEstate();
  const create = (n: number) => small.call('POST', '/_control/rehearsals', { body: { name: `r${n}`, data: OWN } });
  expect((await small.call('POST', '/_control/rehearsals', { body: { name: 'another' } })).status).toBe(201);
  let [created, answer] = [0, await create(0)];
  while (answer.status === 201 && created < MOST) {
    created += 1;
    answer = await create(created);
  }
  expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_rehearsals' } });
  expect(answer.body.detail).toMatch(/no memory left/);
  const basket = { channel: 'web', lines: [] };
  const change = (rehearsal: string) => small.call('POST', '/baskets', { rehearsal, body: basket });
  expect([(await change('r0')).status, (await change('another')).status]).toEqual([201, 201]);
  const visit = { customerId: 'cus_ada', type: 'visit', note: NOTE };
  const grow = () => small.call('POST', '/interactions', { rehearsal: 'r0', body: visit });
  let grown = await grow();
  for (let n = 0; n < 3_000 && grown.status === 201; n++) grown = await grow();
  expect(grown).toMatchObject({
    status: 507,
    body: { code: 'rehearsal_full', rehearsal: 'r0', detail: expect.stringMatching(/share.*Reset it/) },
  });
  expect([(await change('r0')).status, (await change('another')).status]).toEqual([507, 201]);
  expect((await small.call('GET', '/products/mug-blue', { rehearsal: 'r0' })).status).toBe(200);
  for (let n = 1; n < created; n++) expect((await small.call('DELETE', `/_control/rehearsals/r${n}`)).status).toBe(204);
  await eventually('there is room', async () => (await create(MOST + 1)).status === 201);
  expect((await change('r0')).status).toBe(201);
  expect(await small.estate.stop()).toBe(0);
}, 180_000);

test('Rehearsals that are deleted soon after they were created do not fill the heap', async () => {
  await using small = await smallEstate();
  for (let n = 0; n < 12; n++) {
    const created = await small.call('POST', '/_control/rehearsals', { body: { name: `r${n}`, data: OWN } });
    expect([n, created.status, created.body.detail]).toEqual([n, 201, undefined]);
    expect((await small.call('DELETE', `/_control/rehearsals/r${n}`)).status).toBe(204);
  }
  expect(await small.estate.stop()).toBe(0);
}, 180_000);

test('Many reads of a full journal at the same time do not fill the heap', async () => {
  await using small = await smallEstate();
  const lines = Array.from({ length: 20 }, (_, n) => ({ sku: ['mug-blue', 'lamp-desk'][n % 2], qty: 1 + n }));
  for (let round = 0; round < 40; round++) {
    await Promise.all(
      Array.from({ length: 20 }, () => small.call('POST', '/baskets', { rehearsal: 'busy', body: { channel: 'web', lines } })),
    );
  }
  const sequence = Array.from({ length: 200 }, () => ({ what: 'call', name: 'create-basket-api' }));
  const reads = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      n % 2 === 0
        ? small.call('GET', '/_control/journal?limit=5000', { rehearsal: 'busy' })
        : small.call('POST', '/_control/journal/verify', { rehearsal: 'busy', body: { sequence } }),
    ),
  );
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
  expect(reads[0]?.body.items.length).toBeGreaterThan(1_000);
  expect((await small.call('GET', '/products/mug-blue', { rehearsal: 'busy' })).status).toBe(200);
  expect(await small.estate.stop()).toBe(0);
}, 180_000);
