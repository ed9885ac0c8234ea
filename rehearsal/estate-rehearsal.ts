import { apis } from '../shared/catalog/apis.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import type { ApiInput, ApiOutput, OperationInput, OperationOutput, TypedApiId } from './call-types.ts';
import { type CallOptions, createEstateClient, type EstateClient, filledPath, type Optionally, type Reply } from './estate-client.ts';

/** Credentials of a test suite. */
export interface EstateCredentials {
  /** For the APIs. */
  readonly bearer: string;
  /** For the carrier's APIs. */
  readonly apiKey: string;
  /** For the simulation plane. */
  readonly admin: string;
}

/** The credentials of fixtures/credentials.json. They are public, and valid unless they are switched off. */
export const DEMO_CREDENTIALS: EstateCredentials = {
  bearer: 'demo-integration-token',
  apiKey: 'demo-carrier-key',
  admin: 'demo-sim-admin',
};

export interface EstateAccess {
  /** Address of the gateway. */
  readonly gateway: string;
  readonly credentials: EstateCredentials;
}

interface GivenSections {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API refused the call. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  /** Machine-readable code, such as `insufficient_stock`. */
  readonly code: string | undefined;
  /** The whole answer, RFC 9457. */
  readonly problem: Readonly<Record<string, unknown>>;
  constructor(call: string, { status, body }: Reply) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    super(`${call}: ${status} ${problem['code'] ?? ''} ${problem['detail'] ?? ''}`.trim());
    this.status = status;
    this.code = typeof problem['code'] === 'string' ? problem['code'] : undefined;
    this.problem = problem;
  }
}

/** Stock, money and events do not agree, or the estate did not come to rest. */
export class VerificationFailed extends Error {
  override readonly name = 'VerificationFailed';
}

/** An event as it is on the bus: CloudEvents 1.0. */
export interface EstateEvent {
  readonly id: string;
  /** With its prefix: `com.unified-commerce.order-confirmed`. */
  readonly type: string;
  /** `order/ord_…` */
  readonly subject: string;
  readonly time: string;
  readonly source: string;
  readonly rehearsal: string;
  readonly correlationid: string;
  readonly aggregateversion: number;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the event type, which the test knows
  readonly data: { readonly object: any; readonly previousState?: string };
  readonly [member: string]: unknown;
}

export interface EventFilter {
  /** With or without its prefix: `payment-authorized`. */
  readonly type?: string;
  /** `payment/pay_…` */
  readonly subject?: string;
  readonly correlationId?: string;
  /** Includes additional events, which the source document does not name. */
  readonly additional?: boolean;
}

/**
 * A rehearsal on a running estate: a freshly seeded world with its own clock, faults and events, which isolates concurrent tests
 * from each other. `await using` deletes it at the end of the test.
 */
export class EstateRehearsal implements AsyncDisposable {
  readonly name: string;
  /** Credentials bound to this rehearsal. Any client that sends one of them works in it. */
  readonly credentials: Omit<EstateCredentials, 'admin'> & { readonly webhookSecret: string; readonly webhookUrl: string };
  readonly client: EstateClient;
  /** Any operation of the simulation plane. @throws ControlError when it is refused */
  readonly control: EstateClient['control'];

  private constructor({ name, credentials, client }: Pick<EstateRehearsal, 'name' | 'credentials' | 'client'>) {
    this.name = name;
    this.credentials = credentials;
    this.client = client;
    this.control = client.control;
  }

  /** @param name lower-case letters, digits and hyphens; a new one by default */
  static async create({ gateway, credentials: own }: EstateAccess, name?: string): Promise<EstateRehearsal> {
    const outside = createEstateClient({ gateway, ...own, rehearsal: 'default' });
    try {
      const { credentials, ...created } = await outside.control('create-rehearsal', { body: name === undefined ? {} : { name } });
      const bound = { gateway, bearer: credentials.bearer, apiKey: credentials.apiKey, admin: own.admin, rehearsal: created.name };
      return new EstateRehearsal({ name: created.name, credentials, client: createEstateClient(bound) });
    } finally {
      await outside.close();
    }
  }

  /** Calls a public API by its id, with headers such as `idempotency-key`, and returns its answer. @throws ApiRefusal unless the call succeeds */
  async api<const Id extends TypedApiId>(id: Id, ...[input]: Optionally<ApiInput<Id>>): Promise<ApiOutput<Id>> {
    const { method, path, auth } = requireApi(id);
    const { body, headers = {}, ...sections } = (input ?? {}) as GivenSections;
    const reply = await this.client.call(method, filledPath(path, sections), method === 'GET' ? undefined : (body ?? {}), {
      headers,
      as: auth === 'signature' ? 'none' : auth,
    });
    if (reply.status >= 300) throw new ApiRefusal(id, reply);
    return reply.body as ApiOutput<Id>;
  }

  /** A plain call of a public API. It returns errors as replies. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply> {
    return this.client.call(method, path, body, options);
  }

  /** Epoch milliseconds of the rehearsal's clock. */
  async now(): Promise<number> {
    return Date.parse((await this.control('read-clock')).now);
  }

  /**
   * Advances the clock by an ISO 8601 duration and runs the work that falls due meanwhile.
   * @throws VerificationFailed when the estate does not come to rest
   */
  async advance(by: string): Promise<OperationOutput<'advance-clock'>> {
    const outcome = await this.control('advance-clock', { body: { by } });
    refuseUnrest(outcome);
    return outcome;
  }

  /** Waits until no event or due work is pending. @throws VerificationFailed when the estate does not come to rest */
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
  async events({ additional = false, ...filter }: EventFilter = {}): Promise<readonly EstateEvent[]> {
    await this.settle();
    const found: EstateEvent[] = [];
    for (let after = 0; ; ) {
      const { items, next } = await this.control('list-events', {
        query: { ...filter, ext: additional ? 'true' : 'false', after, limit: 1_000 },
      });
      found.push(...items.map(({ event }) => event as unknown as EstateEvent));
      if (items.length < 1_000) return found;
      after = next;
    }
  }

  /**
   * Waits until a number of events of a type are on the bus, while other work may still be pending.
   * @throws VerificationFailed when they do not come in time
   */
  async awaitEvents(
    type: string,
    { count = 1, subject, timeoutMs = 10_000 }: { readonly count?: number; readonly subject?: string; readonly timeoutMs?: number } = {},
  ): Promise<readonly EstateEvent[]> {
    const { found, items } = await this.control('wait-for-events', {
      body: { type, count, timeoutMs, ...(subject !== undefined && { subject }) },
    });
    if (!found) throw new VerificationFailed(`${items.length} of ${count} ${type} came within ${timeoutMs} ms.`);
    return items.map(({ event }) => event as unknown as EstateEvent);
  }

  /** Any business object, including those that no API returns. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into objects freely
  async object(type: string, id: string): Promise<any> {
    return this.control('read-object', { params: { type, id } });
  }

  /** Every hop: who called whom, with which outcome. */
  async journal(correlationId?: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.control('read-journal', { query: { correlationId } })).items;
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

  /**
   * Verifies that stock, money, points, parcels and events agree.
   * @throws VerificationFailed with the violated invariants
   */
  async verify(): Promise<OperationOutput<'verify'>> {
    const outcome = await this.control('verify');
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

function refuseUnrest({ settled, waitingFor }: { readonly settled: boolean; readonly waitingFor: readonly string[] }): void {
  if (!settled) throw new VerificationFailed(`The estate did not come to rest: ${waitingFor.join(', ')}`);
}

/** @throws TypeError when a caller without types asks for an API that does not exist */
function requireApi(id: TypedApiId): ApiDefinition {
  const all: Readonly<Record<string, unknown>> = apis;
  if (Object.hasOwn(all, id)) return all[id] as ApiDefinition;
  throw new TypeError(unknownWord('API', String(id), Object.keys(all), 'docs/reference/apis.md'));
}
