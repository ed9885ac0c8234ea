import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { createClockDriver } from '../../control/clock/driver.ts';
import { createOutsideCall } from '../../control/outside-call.ts';
import { verifyWorld } from '../../control/verify/verify.ts';
import { objectsOf, type RegisteredApplication, registeredApplications } from '../../estate/registry.ts';
import { type FixtureSet, loadFixtures } from '../../fixtures/load.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { type Application, topicOf } from '../../shared/catalog/applications.ts';
import type { FaultInput } from '../../shared/catalog/control/faults.ts';
import type { Progression } from '../../shared/catalog/control/progression.ts';
import type { ApiDefinition, CallOf, Method, OutputOf } from '../../shared/catalog/define.ts';
import { objects } from '../../shared/catalog/objects.ts';
import type { Context } from '../../shared/control/context.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { type AnyCollection, dumpOf, type Stored } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { ControlStore, Store } from '../../shared/store/ports/estate-store.ts';
import { type Caller, type CallOptions, createCaller } from '../../shared/transport/caller.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { newJournalNotes } from '../../shared/work/job.ts';
import { recordUnit } from '../../shared/work/records.ts';
import { finish } from '../../shared/work/unit/commit.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a reply is untyped JSON; its test has the request
  readonly body: any;
}

interface ForwardedRequest {
  readonly path: string;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | undefined;
}

/** The application that answers a public API. @throws Error when the catalog does not have the API */
function applicationAt(method: string, path: string): Application {
  const matches = (known: string) => new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?.*)?$`).test(path);
  const api = Object.values(apis).find((one) => one.method === method && matches(one.path));
  if (!api) throw new Error(`The catalog has no ${method} ${path}.`);
  return api.application;
}

const SETTLE_MS = 10_000;

/** The applications whose records an invariant compares. */
const COMPARED: Readonly<Record<string, readonly Application[]>> = {
  returns: ['fms', 'oms', 'payment-hub', 'inventory-service'],
  till: ['pos', 'oms', 'payment-hub', 'ecommerce-platform'],
};

let loading: Promise<FixtureSet> | undefined;

/** Signs the webhooks of applications that run without the others. */
export const INSIDE_WEBHOOK_SECRET = 'whsec_aW5zaWRlIHRoZSBlc3RhdGU=';

/**
 * Some applications without the others in this process, with real HTTP between them, to test calls without a route at the gateway.
 * A test calls them as another application, and may write the objects of absent applications.
 */
export async function startInside(...modules: readonly RegisteredApplication[]) {
  const memory = createMemoryStore();
  const here = new Set(modules.map(({ service }) => service.application));
  // An absent application consumes nothing, so deliveries to it would stay pending.
  const heardBy = (store: Store): Store => ({
    ...store,
    commit: (world, plan) => {
      const events = plan.events.map((event) => ({ ...event, subscribers: event.subscribers.filter((name) => here.has(name)) }));
      return store.commit(world, { ...plan, events });
    },
  });
  let journalBroken = false;
  const control: ControlStore = {
    ...memory.control,
    journal: (world, entry) => {
      if (journalBroken) throw new Error('the journal is broken');
      memory.control.journal(world, entry);
    },
  };
  const adapter = { ...memory, control, store: (application: Application) => heardBy(memory.store(application)) };
  const bus = createMemoryBus();
  const token = randomBytes(16).toString('hex');
  const agent = new Agent();
  const log = createLogger('silent');
  const addresses = new Map<Application, string>();
  const addressOf = (application: Application): string => addresses.get(application) ?? 'http://127.0.0.1:1';
  const transport = createHttpTransport({ addressOf, token, agent });
  const running: RunningApplication[] = [];
  let gatewayUrl = 'http://127.0.0.1:1';
  for (const { service } of modules) {
    const at = { host: '127.0.0.1', port: 0, gatewayUrl: () => gatewayUrl };
    const started = await startApplication({ service, adapter, bus, transport, token, agent, log, ...at, strictResponses: true });
    addresses.set(started.application, started.url);
    running.push(started);
  }
  const now = Date.now();
  loading ??= loadFixtures();
  const fixtures = (await loading).at(now);
  const world = await adapter.worlds.open(
    'inside',
    {
      now,
      applications: Object.fromEntries(modules.map(({ service, seed }) => [service.application, dumpOf(seed(fixtures))])),
      due: modules.flatMap(({ service, seedDue }) =>
        (seedDue?.(fixtures) ?? []).map((item) => ({ ...item, application: service.application, correlationId: 'seed' })),
      ),
    },
    { bearer: '', apiKey: '', webhookSecret: INSIDE_WEBHOOK_SECRET },
  );
  const driver = createClockDriver({ worlds: adapter.worlds, transport, log });

  async function contextNow(): Promise<Context> {
    const view = await adapter.worlds.current(world);
    if (!view) throw new Error('The world is gone.');
    const requestId = newId('req', view.now);
    const ids = { principal: 'test', requestId, correlationId: requestId };
    const { faults, progression } = view;
    return { world, now: view.now, ...ids, deadline: Date.now() + 15_000, faults, chain: [], progression };
  }

  async function send(application: Application, { path, method, headers, body }: ForwardedRequest, chain: readonly string[] = []) {
    const context = encodeContext({ ...(await contextNow()), chain });
    return request(`${addressOf(application)}${path}`, {
      method,
      headers: { ...headers, [CONTEXT_HEADER]: context, [TOKEN_HEADER]: token },
      body: body ?? null,
      dispatcher: agent,
    });
  }

  return {
    fixtures,
    /** Webhooks go to this receiver from now on, as if it stood behind the gateway. */
    sendWebhooksTo(url: string): void {
      gatewayUrl = url;
    },
    /** Makes the journal throw on every record from now on. */
    breakJournal(): void {
      journalBroken = true;
    },
    now: async () => (await contextNow()).now,
    /** Calls a public API as an external client that the gateway has authenticated. */
    async call(method: string, path: string, body?: unknown): Promise<Reply> {
      const headers = { 'content-type': 'application/json' };
      const sent = { path, method: method as Method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
      const response = await send(applicationAt(method, path), sent);
      return { status: response.statusCode, body: await response.body.json() };
    },
    /** Sends a request to an application as it is, in the context of a call by another one. */
    async forward(application: Application, from: string, sent: ForwardedRequest): Promise<Reply> {
      const response = await send(application, sent, from === '' ? [] : [from]);
      return { status: response.statusCode, body: await response.body.json() };
    },
    /** Calls as an application of the estate; without `intent` every call is a separate request. */
    as:
      (application: Application): Caller =>
      async (api, input, options?: CallOptions) => {
        const context = await contextNow();
        const notes = newJournalNotes(context);
        return createCaller({ application, transport }, { context, key: context.requestId, notes })(api, input, options);
      },
    /** Plays the outside world, as the control plane does: an internal call that no application makes. */
    async play<A extends ApiDefinition<string, Application, string>>(api: A, input: CallOf<A>): Promise<OutputOf<A>> {
      const view = await adapter.worlds.current(world);
      if (!view) throw new Error('The world is gone.');
      return createOutsideCall({ transport, numbers: adapter.worlds })({ view, correlationId: newId('req', view.now) }, api, input);
    },
    /** A document that anybody with its address may read. */
    async document(path: string): Promise<{ status: number; type: string; body: Uint8Array }> {
      const response = await send(applicationAt('GET', path), { path, method: 'GET', headers: {}, body: undefined });
      return { status: response.statusCode, type: String(response.headers['content-type']), body: await response.body.bytes() };
    },
    /** One commit of an application, which may be absent, and the delivery of its events. */
    async commitAs<T>(application: Application, change: (work: UnitOfWork) => Promise<T>): Promise<T> {
      const context = await contextNow();
      const store = adapter.store(application);
      const unit = recordUnit(store, context);
      const result = await change(unit);
      await finish(unit);
      const relay = createRelay({ store, bus, log });
      relay.kick(world);
      const { settled, waitingFor } = await driver.settle(world, SETTLE_MS);
      await relay.stop();
      const { parked } = await adapter.worlds.ledger(world);
      if (!settled || parked.length > 0)
        throw new Error(`not consumed: ${[...waitingFor, ...parked.map(({ error }) => error)].join(', ')}`);
      return result;
    },
    /** Delivers an event of an application of another estate, once per id. */
    async publish(event: EstateEvent): Promise<void> {
      const { world: _elsewhere, id, partitionkey: key } = event;
      const own = { ...event, world, rehearsal: 'inside' };
      const type = event.subject.slice(0, event.subject.indexOf('/'));
      const topic = topicOf(objects.find((one) => one.type === type)?.domain ?? 'order');
      const store = adapter.store('oms');
      const events = [{ id, topic, key, json: JSON.stringify(own), subscribers: [...here] }];
      const { now: at } = await contextNow();
      const nothing = { expect: [], put: [], unique: [], index: [], move: [], guard: [], due: [] };
      await store.commit(world, { ...nothing, operation: newId('req', at), last: true, now: at, events });
      const relay = createRelay({ store, bus, log });
      relay.kick(world);
      await driver.settle(world, SETTLE_MS);
      await relay.stop();
    },
    /**
     * Overlapping requests of one application: all read before any commits.
     * @returns for each `committed`, or why its commit was refused; the pipeline would run it again
     */
    async overlapping(application: Application, ...changes: readonly ((work: UnitOfWork) => Promise<unknown>)[]): Promise<string[]> {
      const all = Promise.withResolvers<void>();
      let decided = 0;
      const outcomes = await Promise.allSettled(
        changes.map((change) =>
          this.commitAs(application, async (work) => {
            await change(work);
            decided += 1;
            if (decided === changes.length) all.resolve();
            await all.promise;
          }),
        ),
      );
      return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'committed' : String(outcome.reason)));
    },
    async advance(ms: number) {
      const advanced = await driver.advance(world, (await contextNow()).now + ms, SETTLE_MS);
      if (!advanced.settled) throw new Error(`not settled: ${advanced.waitingFor.join(', ')}`);
      return advanced;
    },
    async stored<T extends Stored>(
      application: Application,
      of: AnyCollection & { schema: { parse(value: unknown): T } },
      id: string,
    ): Promise<T> {
      const found = await adapter.store(application).object(world, of.name, id);
      if (!found) throw new Error(`${of.name} has no "${id}".`);
      return of.schema.parse(JSON.parse(found.json));
    },
    counters: async (application: Application, counter: string, key: string) =>
      (await adapter.store(application).counters(world, counter, [key]))[0] ?? {},
    /** Events in the sequence of sending, after the world has settled. */
    async events(subject?: string) {
      await driver.settle(world, SETTLE_MS);
      const stored = await adapter.worlds.events(world, 0, 10_000);
      // biome-ignore lint/suspicious/noExplicitAny: tests read events without a schema
      const events = stored.map(({ json }) => JSON.parse(json) as any);
      return events.filter((event) => subject === undefined || event.subject === subject);
    },
    /** Sets automatic progression from now on. Scheduled work is not rescheduled. */
    setProgression: (input: Partial<Progression>) => adapter.worlds.setProgression(world, input),
    parked: async () => (await adapter.worlds.ledger(world)).parked,
    /** Violated invariants, as `<invariant>: <what>`. Invariants across applications count only if all of them run here. */
    async violations(): Promise<string[]> {
      await driver.settle(world, SETTLE_MS);
      const objects = objectsOf(registeredApplications.map(({ service }) => service));
      const results = await verifyWorld(adapter.worlds, world, objects);
      return results
        .filter(({ id }) => (COMPARED[id] ?? []).every((application) => here.has(application)))
        .flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
    },
    down: (application: Application) =>
      adapter.worlds.setFault(world, 'down', JSON.stringify({ match: { application }, fault: { kind: 'outage' } } satisfies FaultInput)),
    fault: (name: string, rule: FaultInput) => adapter.worlds.setFault(world, name, JSON.stringify(rule)),
    noFaults: () => adapter.worlds.removeFault(world),
    async [Symbol.asyncDispose]() {
      await driver.stop();
      await agent.close();
      await Promise.all(running.map((application) => application.close()));
      await bus.close();
      await adapter.close();
    },
  };
}

export type Inside = Awaited<ReturnType<typeof startInside>>;
