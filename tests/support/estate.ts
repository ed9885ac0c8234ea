import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { Agent } from 'undici';
import { type CallOptions, clientOnAgent } from '../../rehearsal/estate-client.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { noteTrace } from './catalog-coverage.ts';
import { type PlainReply, plain } from './plain-client.ts';

/** Addresses of the estate that the test run started. */
export const estate = JSON.parse(process.env['ESTATE'] ?? '{}') as {
  gateway: string;
  touchpoint: string;
  portal: string;
  applications: Record<string, string>;
};

export const ADMIN = 'demo-control-token';

/** Behaviour that only randomised tests reach does not count as covered. */
const isRandom = (): boolean => expect.getState().testPath?.includes('/tests/reliability/') === true;

/** Connections shared by all rehearsals of a file, because connecting takes longer than most requests. */
const agent = new Agent({ connections: 256, keepAliveTimeout: 20_000 });
const outside = { gateway: estate.gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
const unbound = clientOnAgent({ ...outside, rehearsal: 'default' }, agent);

/**
 * A rehearsal of its own for a test, with everything that a test asks of it. Delete it with `await using` or leave it.
 * @param progression where it differs from the default, such as `{ warehouse: 'manual' }` for a test that picks by hand
 */
export async function newRehearsal(progression?: ProgressionInput) {
  const name = `t-${randomBytes(6).toString('hex')}`;
  const { credentials, world } = await unbound.control('create-rehearsal', { body: { name } });
  const client = plain(clientOnAgent({ ...outside, bearer: credentials.bearer, apiKey: credentials.apiKey, rehearsal: name }, agent));
  if (progression) await client.control('set-progression', { body: progression });
  const settle = async () => {
    const outcome = await client.control('settle');
    if (!outcome.settled) throw new Error(`not settled: ${outcome.waitingFor.join(', ')}`);
    return outcome;
  };
  return {
    name,
    world,
    credentials,
    client,
    /** A call of a public API with the rehearsal's own bearer token. */
    async call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<PlainReply> {
      const reply = await client.call(method, path, body, options);
      if (reply.body?.retryable === true && !(Number(reply.headers['retry-after']) > 0)) {
        throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)} is retryable, but does not say when.`);
      }
      return reply;
    },
    /** As `call`, for steps that must succeed: anything but a 2xx fails the test with the whole answer. */
    async ok(method: string, path: string, body?: unknown, options?: CallOptions) {
      const reply = await client.call(method, path, body, options);
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    advance: (by: string) => client.control('advance-clock', { body: { by } }),
    settle,
    now: async () => Date.parse((await client.control('read-clock')).now),
    /** Events on the bus after settling; the additional ones too when asked for by type or with `ext`. */
    async events(filter: { type?: string; subject?: string; correlationId?: string; ext?: boolean } = {}) {
      await settle();
      const { ext = false, ...rest } = filter;
      const { items } = await client.control('list-events', { query: { ...rest, ext: ext ? 'true' : 'false', limit: 1_000 } });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
      return items.map(({ event }) => event as any);
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
    object: async (type: string, id: string): Promise<any> => client.control('read-object', { params: { type, id } }),
    fault: (faultName: string, rule: FaultInput | Record<string, unknown>) =>
      client.control('put-fault', { params: { name: faultName }, body: rule as FaultInput }),
    faults: async () => (await client.control('list-faults')).items,
    noFaults: () => client.control('delete-faults'),
    journal: async (correlationId?: string) => {
      const { items } = await client.control('read-journal', { query: { correlationId } });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into journal records freely
      return items as any[];
    },
    /** Fails the test with the violated invariants, if any. */
    async verify() {
      const outcome = await client.control('verify');
      if (!outcome.settled) throw new Error(`not settled: ${outcome.waitingFor.join(', ')}`);
      const broken = outcome.invariants.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
      if (broken.length > 0) throw new Error(`broken invariants:\n${broken.join('\n')}`);
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      if (!isRandom()) await noteTrace(client);
      await client.control('delete-rehearsal', { params: { name } });
    },
  };
}

export type TestRehearsal = Awaited<ReturnType<typeof newRehearsal>>;

export const ADDRESS = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

export { eventually } from './eventually.ts';
