import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { Agent } from 'undici';
import type { z } from 'zod';
import type { ApiInput, ApiOutput, CalledId, OperationInput, TypedApiId } from '../../rehearsal/call-types.ts';
import { type CallOptions, callOfApi, clientOnAgent, filledPath, type Optionally, type Sections } from '../../rehearsal/estate-client.ts';
import type { ApiId } from '../../shared/catalog/apis.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import type { Swap, SwappableApplication } from '../../shared/catalog/swap.ts';
import { noteTrace } from './catalog-coverage.ts';
import { type PlainReply, plain } from './plain-client.ts';
import type { Read } from './read.ts';

/** The swaps of a rehearsal as a request names them. */
export type SwapsInput = { readonly [App in SwappableApplication]?: z.input<typeof Swap> };

export const ADMIN = 'demo-control-token';

interface CallInput extends Sections {
  readonly as?: CallOptions['as'];
}

/** The call of a control operation, or undefined for another id. */
function callOfOperation(id: string, { body, headers = {}, ...sections }: CallInput) {
  const operation = (controlOperations as Readonly<Record<string, ControlOperation>>)[id];
  if (!operation) return undefined;
  const { method, path } = operation;
  return { method, path: filledPath(path, sections), body, how: { headers, as: 'admin' as const } };
}

/** Behaviour that only randomised tests reach does not count as covered. */
const isRandom = (): boolean => expect.getState().testPath?.includes('/tests/reliability/') === true;

/** Connections shared by all rehearsals of a file, because connecting takes longer than most requests. */
const agent = new Agent({ connections: 256, keepAliveTimeout: 20_000 });

/** A rehearsal and its typed calls, without the steps of a story. */
export async function openRehearsal(
  gateway: string,
  progression?: ProgressionInput,
  created: NonNullable<OperationInput<'create-rehearsal'>['body']> = {},
) {
  const outside = { gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
  const unbound = clientOnAgent({ ...outside, rehearsal: 'default' }, agent);
  const name = `t-${randomBytes(6).toString('hex')}`;
  const { credentials, world, estateCalls = {} } = await unbound.control('create-rehearsal', { body: { name, ...created } });
  const { bearer, apiKey, clientId, clientSecret } = credentials;
  const oauthClient = { id: clientId, secret: clientSecret };
  const client = plain(clientOnAgent({ ...outside, bearer, apiKey, rehearsal: name, oauthClient }, agent));
  if (progression) await client.control('set-progression', { body: progression });
  const settle = async () => {
    const outcome = await client.control('settle');
    if (!outcome.settled) throw new Error(`not settled: ${outcome.waitingFor.join(', ')}`);
    return outcome;
  };
  /** Calls an API or a control operation by its id, or any method and path. The body may be of a wrong shape. */
  function call(id: ApiId | CalledId, input?: CallInput): Promise<PlainReply>;
  function call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<PlainReply>;
  async function call(to: string, rest: string | CallInput = {}, body?: unknown, options?: CallOptions): Promise<PlainReply> {
    const named = typeof rest === 'string' ? undefined : (callOfOperation(to, rest) ?? callOfApi(to, rest));
    const { method, path, how } = named ?? { method: to, path: rest as string, how: options };
    const sent = typeof rest === 'string' ? body : rest.body;
    const as = typeof rest === 'string' ? undefined : rest.as;
    const reply = await client.call(method, path, sent, as ? { ...how, as } : how);
    if (reply.body?.retryable === true && !(Number(reply.headers['retry-after']) > 0)) {
      throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)} is retryable, but has no Retry-After.`);
    }
    return reply;
  }
  return {
    name,
    world,
    credentials,
    /** By swapped application: what its real system sends to call the estate at any time. */
    estateCalls,
    client,
    call,
    /** A step that must succeed: any other status than 2xx fails the test and prints the whole answer. */
    async api<Id extends TypedApiId>(id: Id, ...[input]: Optionally<ApiInput<Id> & CallOptions>): Promise<Read<ApiOutput<Id>>> {
      const { status, body } = await call(id, input as CallInput);
      if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    control: client.control,
    advance: (by: string) => client.control('advance-clock', { body: { by } }),
    settle,
    now: async () => Date.parse((await client.control('read-clock')).now),
    /** Events on the bus after settling; the additional ones too when asked for by type or with `ext`. */
    async events(filter: { type?: string; subject?: string; correlationId?: string; ext?: boolean } = {}) {
      await settle();
      const { ext = false, ...rest } = filter;
      const { items } = await client.control('list-events', { query: { ...rest, ext: ext ? 'true' : 'false', limit: 1_000 } });
      // biome-ignore lint/suspicious/noExplicitAny: tests read events without a schema
      return items.map(({ event }) => event as any);
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests read objects without a schema
    object: async (type: string, id: string): Promise<any> => client.control('read-object', { params: { type, id } }),
    /** An application, or the calls that match, answer no request until `noFaults`. */
    down: (match: string | FaultInput['match']) =>
      client.control('put-fault', {
        params: { name: 'down' },
        body: { match: typeof match === 'string' ? { application: match as Application } : match, fault: { kind: 'outage' } },
      }),
    fault: (faultName: string, rule: FaultInput | Record<string, unknown>) =>
      client.control('put-fault', { params: { name: faultName }, body: rule as FaultInput }),
    faults: async () => (await client.control('list-faults')).items,
    noFaults: () => client.control('delete-faults'),
    journal: async (correlationId?: string) => {
      const { items } = await client.control('read-journal', { query: { correlationId } });
      // biome-ignore lint/suspicious/noExplicitAny: tests read journal records without a schema
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

export type OpenRehearsal = Awaited<ReturnType<typeof openRehearsal>>;
