import type { Agent } from 'undici';
import { whyUnverified } from '../shared/catalog/control/drift.ts';
import type { ApiOutput, BusinessObject, ObjectType, OperationInput, OperationOutput, TypedApiId } from './call-types.ts';
import { type CallInput, clientOnAgent, createEstateClient, type EstateClient, type EstateClientOptions } from './estate-client.ts';
import type { EstateEvent, EventType } from './estate-event.ts';
import type { ProblemBody, Refusal, Reply, Tried } from './reply.ts';

/** Credentials of a test suite. */
export interface EstateCredentials {
  /** For the APIs. */
  readonly bearer: string;
  /** For the carrier's APIs. */
  readonly apiKey: string;
  /** For the control plane. */
  readonly admin: string;
}

/** The credentials of fixtures/credentials.json. They are public, and valid unless they are switched off. */
export const DEMO_CREDENTIALS: EstateCredentials = {
  bearer: 'demo-integration-token',
  apiKey: 'demo-carrier-key',
  admin: 'demo-control-token',
};

export interface EstateAccess {
  /** Address of the gateway. */
  readonly gateway: string;
  readonly credentials: EstateCredentials;
  /** @internal Connections that rehearsals share. The caller closes them. */
  readonly agent?: Agent;
}

/** An API refused the call. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  /** Machine-readable code, such as `insufficient_stock`. */
  readonly code: string | undefined;
  /** The whole answer, RFC 9457. */
  readonly problem: Readonly<Partial<ProblemBody>>;
  constructor(call: string, { status, body }: Refusal) {
    // The server may not be an estate.
    const problem: Partial<ProblemBody> = typeof body === 'object' && body !== null ? body : {};
    super(`${call}: ${status} ${problem.code ?? ''} ${problem.detail ?? ''}`.trim());
    this.status = status;
    this.code = problem.code;
    this.problem = problem;
  }
}

/** An invariant is violated, or the estate has not settled. */
export class VerificationFailed extends Error {
  override readonly name = 'VerificationFailed';
}

export interface EventFilter<Type extends EventType = EventType> {
  /** With or without its prefix: `payment-authorized`. */
  readonly type?: Type;
  /** `payment/pay_…` */
  readonly subject?: string;
  readonly correlationId?: string;
  /** Includes additional events, which the source document does not name. */
  readonly additional?: boolean;
}

/** Credentials bound to a rehearsal. */
interface RehearsalCredentials extends Omit<EstateCredentials, 'admin'> {
  readonly webhookSecret: string;
  readonly webhookUrl: string;
  /** The client that fetches access tokens with POST /oauth/token. */
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The name of a rehearsal, or the body of its creation. */
export type NewRehearsal = string | NonNullable<OperationInput<'create-rehearsal'>['body']>;

/**
 * A rehearsal on a running estate: a freshly seeded world with its own clock, faults and events, which isolates concurrent tests
 * from each other. `await using` deletes it at the end of the test.
 */
export class EstateRehearsal implements AsyncDisposable {
  readonly name: string;
  /** Credentials bound to this rehearsal. Any client that sends one of them works in it. */
  readonly credentials: RehearsalCredentials;
  readonly client: EstateClient;
  /** Any call of a public API, by its id or by method and path. It returns refusals as replies. */
  readonly call: EstateClient['call'];
  /** Any operation of the control plane. @throws ControlError when it is refused */
  readonly control: EstateClient['control'];

  private constructor({ name, credentials, client }: Pick<EstateRehearsal, 'name' | 'credentials' | 'client'>) {
    this.name = name;
    this.credentials = credentials;
    this.client = client;
    this.call = client.call;
    this.control = client.control;
  }

  /** @param how the name, in lower-case letters, digits and hyphens; or the body of create-rehearsal, with your own data. A new name by default */
  static async create(access: EstateAccess, how: NewRehearsal = {}): Promise<EstateRehearsal> {
    const { gateway, credentials: own, agent } = access;
    const clientFor = (options: EstateClientOptions): EstateClient =>
      agent === undefined ? createEstateClient(options) : clientOnAgent(options, agent);
    const outside = clientFor({ gateway, ...own, rehearsal: 'default' });
    try {
      const { credentials, ...created } = await outside.control('create-rehearsal', {
        body: typeof how === 'string' ? { name: how } : how,
      });
      const { bearer, apiKey, clientId, clientSecret } = credentials;
      const oauthClient = { id: clientId, secret: clientSecret };
      const bound = { gateway, bearer, apiKey, admin: own.admin, rehearsal: created.name, oauthClient };
      return new EstateRehearsal({ name: created.name, credentials, client: clientFor(bound) });
    } finally {
      await outside.close();
    }
  }

  /**
   * Calls a public API by its id, with headers such as `idempotency-key`, and returns its answer. With `dryRun: true` it checks whether the
   * call is possible, and changes nothing. @throws ApiRefusal unless the call succeeds
   */
  async api<const Id extends TypedApiId, const Dry extends boolean = false>(
    id: Id,
    ...input: CallInput<Id, Dry>
  ): Promise<Tried<ApiOutput<Id>, Dry>> {
    const call = this.call as unknown as (id: Id, ...input: CallInput<Id, Dry>) => Promise<Reply<Tried<ApiOutput<Id>, Dry>>>;
    const reply = await call(id, ...input);
    if (!reply.ok) throw new ApiRefusal(id, reply);
    return reply.body;
  }

  /** Epoch milliseconds of the rehearsal's clock. */
  async now(): Promise<number> {
    return Date.parse((await this.control('read-clock')).now);
  }

  /** Advances the clock by an ISO 8601 duration, and runs due work. @throws VerificationFailed when the estate does not settle */
  async advance(by: string): Promise<OperationOutput<'advance-clock'>> {
    const outcome = await this.control('advance-clock', { body: { by } });
    refuseUnrest(outcome);
    return outcome;
  }

  /** Waits until no event or due work is pending. @throws VerificationFailed when the estate does not settle */
  async settle(): Promise<OperationOutput<'settle'>> {
    const outcome = await this.control('settle');
    refuseUnrest(outcome);
    return outcome;
  }

  /** Injects a fault until `deleteFault`, or `times` times. */
  fault(name: string, rule: OperationInput<'put-fault'>['body']): Promise<OperationOutput<'put-fault'>> {
    return this.control('put-fault', { params: { name }, body: rule });
  }

  /** The active faults, with the number of times that each was applied. */
  async faults(): Promise<OperationOutput<'list-faults'>['items']> {
    return (await this.control('list-faults')).items;
  }

  async deleteFault(name: string): Promise<void> {
    await this.control('delete-fault', { params: { name } });
  }

  async deleteFaults(): Promise<void> {
    await this.control('delete-faults');
  }

  /** Waits until nothing is pending. @returns the events on the bus, in order */
  async events<const Type extends EventType = EventType>(filter: EventFilter<Type> = {}): Promise<readonly EstateEvent<Type>[]> {
    const { additional = false, ...rest } = filter;
    await this.settle();
    const found: EstateEvent<Type>[] = [];
    for (let after = 0; ; ) {
      const { items, next } = await this.control('list-events', {
        query: { ...rest, ext: additional ? 'true' : 'false', after, limit: 1_000 },
      });
      found.push(...items.map(({ event }) => event as unknown as EstateEvent<Type>));
      if (items.length < 1_000) return found;
      after = next;
    }
  }

  /** Waits until events of a type are on the bus. Other work may still be pending. @throws VerificationFailed after the timeout */
  async awaitEvents<const Type extends EventType>(
    type: Type,
    { count = 1, subject, timeoutMs = 10_000 }: { count?: number; subject?: string; timeoutMs?: number } = {},
  ): Promise<readonly EstateEvent<Type>[]> {
    const { found, items } = await this.control('wait-for-events', { body: { type, count, timeoutMs, subject } });
    if (!found) throw new VerificationFailed(`${items.length} of ${count} ${type} came within ${timeoutMs} ms.`);
    return items.map(({ event }) => event as unknown as EstateEvent<Type>);
  }

  /** Any business object, including those that no API returns. */
  async object<const Type extends ObjectType>(type: Type, id: string): Promise<BusinessObject<Type>> {
    return (await this.control('read-object', { params: { type, id } })) as unknown as BusinessObject<Type>;
  }

  /** Every hop, with caller, callee and outcome. */
  async journal(correlationId?: string): Promise<OperationOutput<'read-journal'>['items']> {
    return (await this.control('read-journal', { query: { correlationId } })).items;
  }

  /**
   * Expects calls, events, deliveries, timers and clock moves in this order; others may happen between them. `strict` refuses others of
   * the same kinds. @throws VerificationFailed with the first step that did not happen, and the most similar one that did
   */
  async expectSequence(
    sequence: OperationInput<'verify-sequence'>['body']['sequence'],
    { strict = false, correlationId }: { strict?: boolean; correlationId?: string } = {},
  ): Promise<OperationOutput<'verify-sequence'>['steps']> {
    const { mismatch, steps } = await this.control('verify-sequence', { body: { sequence, strict, correlationId } });
    if (mismatch) throw new VerificationFailed(mismatch.detail);
    return steps;
  }

  /** Plays the carrier: scans a parcel and waits until all consumers have processed the scan. */
  async scan(shipmentId: string, scan: string): Promise<OperationOutput<'play-scan'>> {
    const shipment = await this.control('play-scan', { params: { id: shipmentId, scan }, body: {} });
    await this.settle();
    return shipment;
  }

  /** Sets automatic progression: `{ warehouse: 'immediate' }`. */
  progression(change: NonNullable<OperationInput<'set-progression'>['body']>): Promise<OperationOutput<'set-progression'>> {
    return this.control('set-progression', { body: change });
  }

  /** Restores the freshly seeded state; name and credentials stay. */
  async reset(): Promise<void> {
    await this.control('reset-rehearsal');
  }

  /** Verifies that stock, money, points, parcels and events agree. @throws VerificationFailed with the violated invariants */
  async verify(): Promise<OperationOutput<'verify'>> {
    const outcome = await this.control('verify');
    const unverified = whyUnverified(outcome.forbidden);
    if (unverified !== undefined) throw new VerificationFailed(unverified);
    refuseUnrest(outcome);
    const broken = outcome.invariants.flatMap(({ title, violations }) => violations.map((violation) => `${title}: ${violation}`));
    if (!outcome.holds) throw new VerificationFailed(`Broken:\n${broken.join('\n')}`);
    return outcome;
  }

  async delete(): Promise<void> {
    try {
      await this.control('delete-rehearsal', { params: { name: this.name } });
    } finally {
      await this.client.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.delete();
  }
}

function refuseUnrest({ settled, waitingFor }: { settled: boolean; waitingFor: readonly string[] }): void {
  if (!settled) throw new VerificationFailed(`The estate did not come to rest: ${waitingFor.join(', ')}`);
}
