import { randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Agent } from 'undici';
import type { Application } from '../catalog/applications.ts';
import { type ApiDefinition, isMutating, type Subscription } from '../catalog/define.ts';
import { nameOf } from '../catalog/event-names.ts';
import { Problem } from '../catalog/problems.ts';
import { subscriptionOf } from '../catalog/subscriptions.ts';
import { filterResponse } from '../contract/validation.ts';
import { digest } from '../domain/ids.ts';
import { rehearsalOf } from '../domain/world.ts';
import type { EstateEvent } from '../events/envelope.ts';
import { type Observer, traceIds, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import type { Context } from '../simulation/context.ts';
import { createFaults } from '../simulation/faults.ts';
import { createWebhooks } from '../simulation/webhook-sender.ts';
import type { Directory } from '../store/ports/directory.ts';
import { DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../store/ports/due-work.ts';
import type { Simulation, Store } from '../store/ports/estate-store.ts';
import type { OutboxEntry } from '../store/ports/outbox.ts';
import type { Fence } from '../store/ports/plan.ts';
import { type Answer, answerProblem } from '../transport/answer.ts';
import { createCaller } from '../transport/caller.ts';
import { Again, type AnyService, type Bound, type Scope } from './handler.ts';
import { isNewest } from './newest-versions.ts';
import type { Commits } from './unit/commits.ts';
import { CallerLeft, Conflict } from './unit/interruptions.ts';
import { type OpenUnit, openUnit, type UnitParts } from './unit/open-unit.ts';

/** What an application's pipeline works with; made once per application and process. */
export interface PipelineOptions {
  readonly service: AnyService;
  readonly store: Store;
  readonly simulation: Simulation;
  readonly directory: Directory;
  /** Where webhooks of this application are sent to. */
  readonly gatewayUrl: () => string;
  readonly addressOf: (application: Application) => string;
  readonly token: string;
  readonly agent: Agent;
  readonly log: Logger;
  readonly observer?: Observer | undefined;
  /** Refuse responses with undeclared members instead of filtering them. */
  readonly strictResponses: boolean;
  /** Wall time beyond the deadline after which an unfinished claim may be taken over; also the lease of due work before a reply. */
  readonly leaseMarginMs?: number;
  /** Wall time that due work has. */
  readonly workDeadlineMs?: number;
  /** Called after a commit that left events in the outbox. */
  readonly relay: (world: Context['world']) => void;
}

export interface ApiRequest {
  readonly bound: Bound<string>;
  readonly input: { readonly params: Readonly<Record<string, string>>; readonly query: unknown; readonly body: unknown };
  readonly context: Context;
  readonly path: string;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: number | undefined;
  readonly webhookId?: string | undefined;
  /** Request ids of the calls made, for the journal. */
  readonly calls: string[];
  /** Aborted when the client has left. */
  readonly left?: AbortSignal | undefined;
}

/** What a hop leaves for the journal, and the id under which it came. */
interface Traces {
  /** Request ids of the calls made. */
  readonly calls: string[];
  /** Names of the faults that struck what it sent. */
  readonly faults?: string[];
  readonly webhookId?: string | undefined;
  readonly beforeCall?: ((changesSomething: boolean) => void) | undefined;
}

interface DueWork extends Traces {
  readonly item: Pick<DueItem, 'kind' | 'key'>;
  readonly token: string;
  readonly context: Context;
}

/** A request that has begun, perhaps not for the first time. */
interface Running {
  readonly key: string;
  readonly since: number;
  readonly preconditionHeld: boolean;
  readonly fence?: Fence;
}

/** How often a handler runs before a request that keeps losing is refused with `contention`. */
const RUNS = 5;
/** Rehearsal time for which an idempotency record is kept. */
const KEEP_MS = 24 * 60 * 60 * 1_000;
const LEASE_MARGIN_MS = 5_000;
/** Wall time for due work and consumed events. */
export const WORK_DEADLINE_MS = 15_000;

/**
 * What happens to a request, an event and a due item, in this order:
 *
 *   request   claim the idempotency key → run the handler → last commit (effects, outcome) → due work that runs before the reply
 *   event     run the handler → last commit (effects, and the delivery leaves the ledger)
 *   due item  run the handler → last commit (effects, and the item leaves the schedule)
 *
 * A handler that lost a race runs again from the start, so that it decides on what is true now.
 */
export function createPipeline(options: PipelineOptions) {
  const { service, store, relay, observer = UNOBSERVED, leaseMarginMs = LEASE_MARGIN_MS, workDeadlineMs = WORK_DEADLINE_MS } = options;
  const faults = createFaults(options.simulation);
  const leaseOf = (context: Context): number => Math.max(0, context.deadline - Date.now()) + leaseMarginMs;

  async function request(asked: ApiRequest): Promise<Answer> {
    const { bound, context } = asked;
    const key = asked.idempotencyKey;
    if (key === undefined || !isMutating(bound.api))
      return run(asked, { key: context.requestId, since: context.now, preconditionHeld: false });
    // Inside the estate the application that calls is the credential: its due work repeats what a client's request began.
    const caller = context.chain.at(-1) ?? context.principal;
    const claimKey = digest(caller, bound.api.method, asked.path, key);
    const fingerprint = digest(canonicalize({ query: asked.input.query, body: asked.input.body ?? null }) ?? '');
    const claim = await store.claim(context.world, claimKey, fingerprint, context.now, leaseOf(context));
    switch (claim.is) {
      case 'done':
        observer.replayed();
        return { ...(JSON.parse(claim.json) as Answer), replayed: true };
      case 'running':
        throw new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is still running.', { retryAfter: 1 });
      case 'other-body':
        throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another request; use a new key for a new request.');
      case 'ours': {
        const fence: Fence = { kind: 'claim', key: claimKey, token: claim.token };
        try {
          return await run(asked, { key: claimKey, since: claim.since, preconditionHeld: claim.preconditionHeld, fence });
        } finally {
          // After the last commit the claim holds an outcome and no token, and this does nothing.
          await store.release(context.world, claimKey, claim.token);
        }
      }
    }
  }

  async function run(asked: ApiRequest, { key, since, preconditionHeld, fence }: Running): Promise<Answer> {
    const { bound, context, input } = asked;
    const target = input.params['id'];
    const { ifMatch } = asked;
    const precondition =
      ifMatch !== undefined && target !== undefined ? { id: target, version: ifMatch, held: preconditionHeld } : undefined;
    const keepUntil = context.now + KEEP_MS;
    const keeping = (answer: Answer) => (fence ? { json: JSON.stringify(answer), keepUntil } : undefined);
    return carriedOut(context, asked.calls, (commits) =>
      rerunning(async () => {
        const unit = unitOf(context, commits, { fence, key, since, precondition });
        const scope = scopeOf(context, unit, key, {
          ...{ calls: asked.calls, webhookId: asked.webhookId },
          beforeCall: asked.left && stopWhenLeft(asked.left, commits),
        });
        try {
          const result = await bound.handler(input as never, scope);
          const answer = result instanceof Problem ? answerProblem(result, asked.path) : answerOutput(bound.api, result);
          const stored = result instanceof Problem && !isKept(result) ? undefined : keeping(answer);
          await unit.finish(stored);
          return answer;
        } catch (error) {
          if (!(error instanceof Problem) || !fence || !isKept(error)) throw error;
          const answer = answerProblem(error, asked.path);
          await unit.discard({ json: JSON.stringify(answer), keepUntil });
          return answer;
        }
      }),
    );
  }

  const answerOutput = (api: ApiDefinition, result: unknown): Answer => {
    const repeated = result instanceof Again;
    const output = filterResponse(api, repeated ? result.output : result, options.strictResponses);
    if (api.status === 204) return { status: 204, body: '', contentType: 'application/json; charset=utf-8' };
    if (api.produces !== 'application/json')
      return { status: api.status, body: Buffer.from(String(output), 'base64'), contentType: api.produces };
    const version = (output as { version?: unknown } | null)?.version;
    return {
      status: repeated ? 200 : api.status,
      body: JSON.stringify(output),
      contentType: 'application/json; charset=utf-8',
      etag: typeof version === 'number' ? `"${version}"` : undefined,
    };
  };

  /** @param whenLost what comes of an attempt whose claim or item is no longer ours; it is refused with `contention` without that */
  async function rerunning<T>(attempt: () => Promise<T>, whenLost?: () => T): Promise<T> {
    for (let run = 1; ; run++) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        observer.conflicted(error.why);
        if (error.why === 'held' && whenLost) return whenLost();
        if (error.why === 'held' || error.why === 'world') {
          throw new Problem('contention', 'This request was taken over or its rehearsal was reset meanwhile; send it again.', {
            retryAfter: 1,
          });
        }
        if (run >= RUNS)
          throw new Problem('contention', `Others changed the same objects ${RUNS} times meanwhile; send it again.`, { retryAfter: 1 });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4 * run));
      }
    }
  }

  const scopeOf = (
    context: Context,
    work: OpenUnit,
    key: string,
    { calls, faults: struck = [], webhookId, beforeCall }: Traces,
  ): Scope => ({
    context,
    work,
    call: createCaller(
      { application: service.application, addressOf: options.addressOf, token: options.token, agent: options.agent, observer },
      { context, key: digest(context.world, key), called: (requestId) => calls.push(requestId), beforeCall },
    ),
    webhooks: createWebhooks({
      directory: options.directory,
      gatewayUrl: options.gatewayUrl,
      agent: options.agent,
      store,
      faults,
      context,
      struck: (fault) => struck.push(fault),
    }),
    webhookId,
    // Made when asked for: most work has nothing to say.
    get log() {
      const { correlationId, world, requestId, traceparent } = context;
      return options.log.child({ requestId, correlationId, world, rehearsal: rehearsalOf(world), ...traceIds(traceparent) });
    },
  });

  const unitOf = (
    context: Context,
    commits: Commits,
    about: Pick<UnitParts, 'fence' | 'key' | 'since' | 'precondition'> & { causation?: string },
  ) => openUnit({ store, context, commits, causation: context.requestId, inlineLeaseMs: leaseOf(context), ...about });

  /**
   * Runs something, and then what its commits left to be done: its events go out, and due work that its answer must already show runs.
   * What fails of that stays due, for the clock's driver; so does all of it when there will be no such answer.
   */
  async function carriedOut<T>(context: Context, calls: string[], attempt: (commits: Commits) => Promise<T>): Promise<T> {
    const commits: Commits = { inline: [], events: false };
    const { inline } = commits;
    let result: T;
    try {
      result = await attempt(commits);
    } catch (error) {
      for (const { kind, key, token } of inline) await store.releaseDue(context.world, kind, key, token);
      throw error;
    } finally {
      if (commits.events) relay(context.world);
    }
    for (const { kind, key, token } of inline) {
      const item = { application: service.application, kind, key };
      try {
        await dueWork({ item, token, context: { ...context, requestId: `${context.requestId}.${kind}` }, calls, faults: [] });
      } catch (error) {
        const about = { kind, key, requestId: context.requestId, correlationId: context.correlationId, world: context.world };
        options.log.warn({ err: error, ...about, ...traceIds(context.traceparent) }, 'due work before the reply failed; it stays due');
        await store.releaseDue(context.world, kind, key, token);
      }
    }
    return result;
  }

  /** Runs a due item that `token` holds. @throws what the handler threw; the item then stays for its holder to put back */
  async function dueWork(due: DueWork): Promise<void> {
    const started = performance.now();
    let done = false;
    try {
      await runDue(due);
      done = true;
    } finally {
      observer.worked({ kind: due.item.kind, done, ms: performance.now() - started });
    }
  }

  async function runDue(due: DueWork): Promise<void> {
    const { kind, key } = due.item;
    if (kind === PUBLISH_WITHHELD_EVENT) return publishHeldEvent(due);
    if (kind === DELIVER_AGAIN) return deliverAgain(due);
    const handler = service.due[kind];
    if (!handler) throw new Error(`${service.application} has no due work of kind ${kind}.`);
    const name = dueKey(service.application, kind, key);
    const item = await store.due(due.context.world, kind, key, due.token);
    if (!item) return notOurs(due);
    const { correlationId } = item;
    const parent = due.context.traceparent ?? item.traceparent;
    const about = { 'uc.due_kind': kind, 'uc.due_key': key, 'uc.correlation_id': correlationId };
    const span = observer.tracer?.start({ kind: 'internal', name: `due ${kind}`, parent, attributes: about });
    const traceparent = span?.traceparent ?? parent;
    const context: Context = { ...due.context, deadline: Date.now() + workDeadlineMs, correlationId, traceparent };
    const unitKey = digest('due', name, String(item.seq));
    const fence: Fence = { kind: 'due', key: name, token: due.token };
    await carriedOut(context, due.calls, (commits) =>
      rerunning(async () => {
        const unit = unitOf(context, commits, { fence, key: unitKey, since: item.at });
        await handler(item, scopeOf(context, unit, unitKey, due));
        await unit.finish();
        // Cancelled or replaced meanwhile, often by what it caused itself; or taken over: what is left of it is not ours to do.
      }, nothing),
    ).then(
      () => span?.end(),
      (error: unknown) => {
        span?.end(error instanceof Problem ? error.code : 'failed');
        throw error;
      },
    );
  }

  /** It was cancelled, replaced or taken over before it was begun. Until that is said it counts as running. */
  const notOurs = ({ item: { kind, key }, token, context: { world } }: DueWork): Promise<void> => store.releaseDue(world, kind, key, token);

  /** An event that a fault held goes back into the outbox; its deliveries are noted since its own commit. */
  async function publishHeldEvent(due: DueWork): Promise<void> {
    const { kind, key } = due.item;
    const { token } = due;
    const { world, now } = due.context;
    const item = await store.due(world, kind, key, token);
    if (!item) return notOurs(due);
    const fence: Fence = { kind: 'due', key: dueKey(service.application, kind, key), token };
    const entry = { ...(item.payload as OutboxEntry), subscribers: [], struck: true } as const;
    await store.commit(world, { ...NO_CHANGE, operation: randomUUID(), last: true, now, fence, events: [entry] });
    relay(world);
  }

  /** A delivery that was parked is tried once more; if it fails again, it is parked again. */
  async function deliverAgain(due: DueWork): Promise<void> {
    const { kind, key } = due.item;
    const { token, context, calls } = due;
    const { world, now } = context;
    const item = await store.due(world, kind, key, token);
    if (!item) return notOurs(due);
    const delivered = JSON.parse((item.payload as OutboxEntry).json) as EstateEvent;
    const again: Context = {
      ...context,
      principal: `event:${service.application}`,
      parentId: delivered.causationid,
      correlationId: delivered.correlationid,
      deadline: Date.now() + workDeadlineMs,
    };
    try {
      await event(delivered, again, calls, subscriptionOf(nameOf(delivered.type), service.application)?.mode);
    } catch (error) {
      options.log.warn(
        { err: error, event: delivered.type, id: key, world, correlationId: again.correlationId },
        'consuming it again failed',
      );
      // One that was consumed meanwhile is not owed any more, and stays out.
      await store.park(world, `${service.application}|${key}`, error instanceof Error ? error.message : String(error));
    }
    const fence: Fence = { kind: 'due', key: dueKey(service.application, kind, key), token };
    await store.commit(world, { ...NO_CHANGE, operation: randomUUID(), last: true, now, fence });
  }

  /**
   * Consumes an event. A subscription that copies state (`latest`) skips versions older than the newest it has seen of that
   * aggregate; one that reacts (`each`) takes every event once.
   * @throws what the handler threw; the delivery then stays pending
   */
  async function event(delivered: EstateEvent, context: Context, calls: string[], mode: Subscription['mode'] = 'each'): Promise<void> {
    const handler = service.events[nameOf(delivered.type)];
    if (!handler) throw new Error(`${service.application} does not consume ${delivered.type}.`);
    const fence: Fence = { kind: 'delivery', key: `${service.application}|${delivered.id}` };
    const unitKey = digest('event', service.application, delivered.id);
    await carriedOut(context, calls, (commits) =>
      rerunning(async () => {
        const unit = unitOf(context, commits, { fence, key: unitKey, since: context.now, causation: delivered.id });
        if (mode === 'each' || (await isNewest(unit, delivered))) await handler(delivered, scopeOf(context, unit, unitKey, { calls }));
        await unit.finish();
      }),
    );
  }

  return { request, dueWork, event };
}

export type Pipeline = ReturnType<typeof createPipeline>;

const nothing = (): void => {};

/** Nobody waits any more: a request that has done nothing yet, here or elsewhere, makes no further call. One that has goes on to its end. */
function stopWhenLeft(left: AbortSignal, commits: Commits): (changesSomething: boolean) => void {
  return (changesSomething) => {
    if (left.aborted && !commits.begun) {
      commits.givenUp = true;
      throw new CallerLeft();
    }
    if (changesSomething) commits.begun = true;
  };
}

const NO_CHANGE = { expect: [], put: [], unique: [], index: [], move: [], guard: [], events: [], due: [] } as const;

/** Refusals that a repeat with the same key gets again: those that say something definite about the request. */
const isKept = (problem: Problem): boolean => [402, 409, 422].includes(problem.status) && !problem.retryable;
