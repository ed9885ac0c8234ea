import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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

const client = (rehearsal: string) => {
  const headers = { 'x-rehearsal': rehearsal };
  return {
    call: (method: string, path: string, body?: unknown) => plain(estate.client).call(method, path, body, { headers }),
    control: (method: string, path: string, body?: unknown) => plain(estate.client).call(method, path, body, { as: 'admin', headers }),
  };
};

type Client = ReturnType<typeof client>;

const logInteraction = ({ call }: Client) => call('POST', '/interactions', { customerId: 'cus_ada', type: 'visit', note: NOTE });

/** One client that writes as fast as it can. @returns the first refusal */
async function fill(full: Client) {
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const reply = await logInteraction(full);
    // Of many clients at the same moment, some are refused for contention, or within a call to the CRM, which has no room left.
    if (reply.status !== 201 && reply.status !== 503) return reply;
  }
  throw new Error('never full');
}

const bytesOf = async (name: string): Promise<number> =>
  (await estate.client.control('list-rehearsals')).items.find((one) => one.name === name)?.contents?.bytes ?? 0;

describe('A rehearsal at MAX_REHEARSAL_BYTES', () => {
  test('refuses changes with 507 and the remedy, while reading, the control plane and other rehearsals work', async () => {
    const full = client('full');
    const refused = await fill(full);
    expect(refused).toMatchObject({
      status: 507,
      body: { code: 'rehearsal_full', retryable: false, rehearsal: 'full', limit: LIMIT, bytes: expect.any(Number) },
    });
    expect(refused.body.detail).toMatch(/Reset it with POST \/_control\/reset, delete it, or raise MAX_REHEARSAL_BYTES/);
    expect(await full.call('GET', '/customers/cus_ada')).toMatchObject({ status: 200 });
    expect(await full.control('POST', '/_control/settle', {})).toMatchObject({ status: 200, body: { settled: true } });
    expect(await full.control('POST', '/_control/clock/advance', { by: 'P1D' })).toMatchObject({ status: 200, body: { settled: true } });
    expect(await full.control('GET', '/_control/verify')).toMatchObject({ status: 200, body: { holds: true } });
    expect(await full.control('PUT', '/_control/progression', { carrier: 'manual' })).toMatchObject({ status: 200 });
    expect(await logInteraction(client('other'))).toMatchObject({ status: 201 });
    expect(await full.control('POST', '/_control/reset', {})).toMatchObject({ status: 200 });
    expect(await logInteraction(full)).toMatchObject({ status: 201 });
  });

  test('does not grow beyond the room for started work, however many clients write at the same moment', async () => {
    const many = client('many');
    const refusals = await Promise.all(Array.from({ length: 30 }, () => fill(many)));
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([507]));
    const journal = (await estate.client.control('list-rehearsals')).items.find(({ name }) => name === 'many')?.contents?.journal;
    expect(journal).toBeGreaterThan(0);
    expect(await many.control('POST', '/_control/settle', {})).toMatchObject({ body: { settled: true } });
    expect(await many.control('GET', '/_control/verify')).toMatchObject({ body: { holds: true } });
    expect(await bytesOf('many')).toBeGreaterThan(LIMIT);
    expect(await many.control('DELETE', '/_control/rehearsals/many')).toMatchObject({ status: 204 });
  });
});
