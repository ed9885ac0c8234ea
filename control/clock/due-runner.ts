import { GATEWAY } from '../../shared/catalog/applications.ts';
import { absentApplication, Problem } from '../../shared/catalog/problems.ts';
import { contextFor } from '../../shared/control/context.ts';
import { requestIdIn } from '../../shared/control/request-id.ts';
import { randomToken } from '../../shared/domain/ids.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import type { Logger } from '../../shared/process/logger.ts';
import { pause } from '../../shared/process/waiting.ts';
import {
  BACKOFF_MS,
  type ClockStore,
  DELIVER_AGAIN,
  type DueItem,
  dueKey,
  MOST_ATTEMPTS_AFTER_REFUSAL,
} from '../../shared/store/ports/due-work.ts';
import type { Directory, WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { EndTurn, Turns } from '../../shared/store/ports/turns.ts';
import { jsonIn, problemIn } from '../../shared/transport/answer.ts';
import { DUE_PATH, type Transport } from '../../shared/transport/transport.ts';

/** Wall time of the lease of a dispatched item. */
const ITEM_LEASE_MS = 30_000;
/** Wall time that an application has for an item. */
const DISPATCH_DEADLINE_MS = 15_000;
/** Extra wall time for storing and answering the outcome of a call or webhook that used the whole deadline. */
const ANSWER_MARGIN_MS = 5_000;
/** If an interrupted request still claims the idempotency key of an item, the item is requeued after this wall time. */
const KEY_HELD_MS = 100;

export interface DueRunnerOptions {
  readonly worlds: ClockStore & Pick<Directory, 'nextNumber'>;
  readonly transport: Transport;
  /** Decides when due work of worlds with a seed runs. */
  readonly turns?: Turns | undefined;
  /** Runs the due work of the gateway. Without it, such work is parked. */
  readonly ownWork?: OwnWork;
  readonly log: Logger;
}

/** Runs one item of the gateway, leased with this token. @returns undefined when the work is done */
export type OwnWork = (
  view: WorldView,
  item: DueItem,
  leased: { readonly lease: string; readonly requestId: string },
) => Promise<Failure | undefined>;

export interface DispatchedItem {
  readonly item: DueItem;
  /** Its hop in the journal. */
  readonly requestId: string;
  /** Otherwise it was requeued or parked. */
  readonly done: boolean;
}

export interface Failure {
  readonly text: string;
  readonly problem?: Problem;
  /** The work has made all of its attempts: it is parked. */
  readonly isFinal?: true;
}

interface Lessee {
  readonly driver: string | undefined;
  readonly endTurn?: EndTurn;
}

/** Leases due work, dispatches it to its application, and requeues or parks work that failed. */
export function createDueRunner({ worlds, transport, turns, ownWork, log }: DueRunnerOptions) {
  /** Runs the lowest due item. @param driver token of the advance that drives the clock @returns undefined when none can be leased */
  async function runNext(view: WorldView, driver?: string): Promise<DispatchedItem | undefined> {
    if (!turns?.isOrdered(view.world)) return leaseAndRun(view, { driver });
    const endTurn = await turns.take(view.world, 'due');
    return leaseAndRun(view, { driver, endTurn }).finally(endTurn);
  }

  async function leaseAndRun(view: WorldView, { driver, endTurn }: Lessee): Promise<DispatchedItem | undefined> {
    const { world, now } = view;
    const lease = randomToken();
    const item = await worlds.leaseNext(world, { upTo: now, token: lease, leaseMs: ITEM_LEASE_MS, driver });
    if (!item) return undefined;
    // A receiver of webhooks may call the estate before it answers.
    if (item.application === GATEWAY) endTurn?.();
    const requestId = await requestIdIn(view, worlds, `due ${dueKey(item.application, item.kind, item.key)} ${item.at}`);
    const failure = await dispatch(view, item, { lease, requestId });
    if (!failure) return { item, requestId, done: true };
    const { problem, text } = failure;
    if (problem?.code === 'idempotency_in_progress') {
      // The other request holds the key for some wall time. Waiting for it is not a failed attempt, and does not move the rehearsal's clock.
      await pause(KEY_HELD_MS);
      const { at, attempts, awaits } = item;
      await worlds.requeue(world, item, lease, { at, attempts, awaits });
      return { item, requestId, done: false };
    }
    const awaits = absentApplication(problem);
    const attempts = item.attempts + 1;
    const wait = !failure.isFinal && item.attempts < mostAttempts(item, problem) ? BACKOFF_MS[item.attempts] : undefined;
    log.warn({ world, kind: item.kind, key: item.key, attempts, awaits, failure: text }, 'due work failed');
    await worlds.requeue(world, item, lease, wait === undefined ? { parked: text, awaits } : { at: now + wait, attempts, awaits });
    return { item, requestId, done: false };
  }

  /** How often failed work is tried again before it is parked. Its consumer has tried a delivery several times already. */
  function mostAttempts({ kind }: DueItem, problem: Problem | undefined): number {
    if (absentApplication(problem)) return BACKOFF_MS.length;
    if (kind === DELIVER_AGAIN) return 0;
    const mayBeUnderWay = problem?.retryable === true && problem.code !== 'dependency_error';
    return mayBeUnderWay ? BACKOFF_MS.length : MOST_ATTEMPTS_AFTER_REFUSAL;
  }

  /** @returns undefined when the application did the work */
  async function dispatch(
    view: WorldView,
    item: DueItem,
    { lease, requestId }: { readonly lease: string; readonly requestId: string },
  ): Promise<Failure | undefined> {
    const { application, correlationId, hop: parentId } = item;
    if (application === GATEWAY) return runOwn(view, item, { lease, requestId });
    const context = contextFor(view, { principal: 'clock', requestId, parentId, correlationId, withinMs: DISPATCH_DEADLINE_MS });
    try {
      const { status, text } = await transport.send({
        application,
        method: 'POST',
        path: DUE_PATH,
        context,
        body: JSON.stringify({ kind: item.kind, key: item.key, token: lease }),
        timeoutMs: DISPATCH_DEADLINE_MS + ANSWER_MARGIN_MS,
      });
      if (status < 300) return undefined;
      const problem = problemIn(jsonIn(text), text);
      // The sentence of an unexpected error is its reason; its code is always the same.
      return { text: problem?.code === 'internal_error' ? problem.message : text, problem };
    } catch (error) {
      return { text: errorMessage(error), problem: error instanceof Problem ? error : undefined };
    }
  }

  async function runOwn(view: WorldView, item: DueItem, leased: { readonly lease: string; readonly requestId: string }) {
    try {
      return ownWork ? await ownWork(view, item, leased) : { text: 'This process has no work of the gateway.', isFinal: true as const };
    } catch (error) {
      return { text: errorMessage(error) };
    }
  }

  return { runNext };
}

export type DueRunner = ReturnType<typeof createDueRunner>;
