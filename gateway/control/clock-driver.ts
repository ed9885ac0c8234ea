import { randomUUID } from 'node:crypto';
import { type Agent, request } from 'undici';
import type { Application } from '../../shared/catalog/applications.ts';
import { newId } from '../../shared/domain/ids.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Logger } from '../../shared/process/logger.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';
import { contextFor } from '../../shared/simulation/context.ts';
import type { ClockStore, WorldChanges } from '../../shared/store/ports/clock.ts';
import type { Directory, WorldView } from '../../shared/store/ports/directory.ts';
import type { DueItem } from '../../shared/store/ports/due-work.ts';
import type { LedgerStore } from '../../shared/store/ports/ledger.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { createChanges } from './changes.ts';
import { type Advance, clockBusy, createSettling } from './settling.ts';

/** Rehearsal time after which failed due work is tried again; then it is parked, visibly. */
const BACKOFF_MS: readonly Ms[] = [5_000, 30_000, 300_000, 1_800_000, 7_200_000];
/** Wall time for which a dispatched item belongs to its dispatch. */
const ITEM_LEASE_MS = 30_000;
/** Wall time that an application has for an item. */
const DISPATCH_DEADLINE_MS = 15_000;
/** Wall time that it has beyond, to say and to store what came of a call or a webhook that took all of it. */
const ANSWER_MARGIN_MS = 5_000;
/** How many items run at once while time flows; during an advance it is one. */
const PARALLEL = 8;
/** Wall time after which work that somebody else still holds is asked for again. */
const HELD_MS = 100;
/** Wall time after which a look tells whether a lease has run out, of work or of the clock: nobody says when it does. */
const LEASES_MS = 1_000;
/** The longest delay that a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ClockDriverOptions {
  readonly worlds: Directory & ClockStore & LedgerStore & WorldChanges;
  readonly addressOf: (application: Application) => string;
  readonly token: string;
  readonly agent: Agent;
  readonly log: Logger;
}

interface Driven {
  pumping: Promise<void> | undefined;
  again: boolean;
  /** Here, and not by another gateway: what is due runs in the advance. */
  advancing: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs due work: what falls due as time flows, and, in order and one by one, what falls due while a clock is advanced. Every gateway has
 * one, for every world; the store says whose turn it is. What one left behind that died, another does.
 */
export function createClockDriver(options: ClockDriverOptions) {
  const { worlds, log } = options;
  const driven = new Map<World, Driven>();
  const changes = createChanges(worlds, pump);
  let stopped = false;

  function stateOf(world: World): Driven {
    const found = driven.get(world);
    if (found) return found;
    const made: Driven = { pumping: undefined, again: false, advancing: false, timer: undefined };
    driven.set(world, made);
    return made;
  }

  function pump(world: World): void {
    const state = stateOf(world);
    if (stopped || state.advancing) return;
    if (state.pumping) {
      state.again = true;
      return;
    }
    state.pumping = pumpOnce(world, state)
      .catch((error: unknown) => log.warn({ err: error, world }, 'the clock driver stumbled'))
      .finally(() => {
        state.pumping = undefined;
        if (state.again) {
          state.again = false;
          pump(world);
        }
      });
  }

  async function pumpOnce(world: World, state: Driven): Promise<void> {
    clearTimeout(state.timer);
    // Most changes make nothing due; one look tells, where every lane would take its own.
    let status = await worlds.status(world);
    if (status?.next && status.next.at <= status.now && !status.advancing) {
      await Promise.all(Array.from({ length: PARALLEL }, () => lane(world)));
      status = await worlds.status(world);
    }
    if (!status) driven.delete(world);
    if (!status || stopped) return;
    const { now, flowing, next, running, advancing } = status;
    const waits = [...(next && flowing ? [Math.max(0, next.at - now)] : []), ...(running > 0 || advancing ? [LEASES_MS] : [])];
    if (waits.length === 0) return;
    state.timer = setTimeout(() => pump(world), Math.min(...waits, LONGEST_TIMER_MS));
    state.timer.unref();
  }

  async function lane(world: World): Promise<void> {
    while (!stopped) {
      const view = await worlds.current(world);
      if (!view || !(await runNext(view))) return;
    }
  }

  /** Runs the lowest item that is due. @returns it and whether it is done, or undefined when there is none to take */
  async function runNext(view: WorldView, advance?: Advance): Promise<{ item: DueItem; done: boolean } | undefined> {
    const { world, now } = view;
    const token = randomUUID();
    const item = await worlds.leaseNext(world, now, token, ITEM_LEASE_MS, advance?.token);
    if (!item) return undefined;
    const failure = await dispatch(view, item, token);
    if (failure === undefined) return { item, done: true };
    if (failure.held) {
      // Its leases run in wall time: waiting costs no attempt and does not move the rehearsal's clock.
      await new Promise((resolve) => setTimeout(resolve, HELD_MS));
      await worlds.requeue(world, item, token, { at: item.at, attempts: item.attempts });
      return { item, done: false };
    }
    const wait = BACKOFF_MS[item.attempts];
    log.warn({ world, kind: item.kind, key: item.key, attempts: item.attempts + 1, failure: failure.text }, 'due work failed');
    await worlds.requeue(
      world,
      item,
      token,
      wait === undefined ? { parked: failure.text } : { at: now + wait, attempts: item.attempts + 1 },
    );
    return { item, done: false };
  }

  /** @returns what went wrong, or undefined; `held` when a request that broke off still holds its key */
  async function dispatch(view: WorldView, item: DueItem, token: string): Promise<{ text: string; held: boolean } | undefined> {
    const { correlationId } = item;
    const context = contextFor(view, {
      principal: 'clock',
      requestId: newId('req', view.now),
      correlationId,
      withinMs: DISPATCH_DEADLINE_MS,
    });
    try {
      return await withTimeLimit(DISPATCH_DEADLINE_MS + ANSWER_MARGIN_MS, async (signal) => {
        const response = await request(`${options.addressOf(item.application)}/_work/due`, {
          method: 'POST',
          headers: { [CONTEXT_HEADER]: encodeContext(context), [TOKEN_HEADER]: options.token, 'content-type': 'application/json' },
          body: JSON.stringify({ kind: item.kind, key: item.key, token }),
          dispatcher: options.agent,
          signal,
        });
        const text = await response.body.text();
        return response.statusCode < 300 ? undefined : { text, held: text.includes('"idempotency_in_progress"') };
      });
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), held: false };
    }
  }

  const settling = createSettling({
    ...{ worlds, changes, log, runNext, pump },
    advancing: (world, begun) => {
      stateOf(world).advancing = begun;
    },
    stopped: () => stopped,
  });

  return {
    settle: settling.settle,
    advance: settling.advance,
    changes,
    /** Lets time flow, or stops it where it is. */
    async setFlowing(world: World, flowing: boolean): Promise<void> {
      const view = await worlds.current(world);
      if (!view) return;
      const { now } = view;
      const status = view.flowing === flowing ? await worlds.status(world) : undefined;
      if (status?.advancing || (!status && !(await worlds.setClock(world, { now, flowing })))) throw clockBusy();
    },
    async stop(): Promise<void> {
      stopped = true;
      changes.stop();
      for (const state of driven.values()) clearTimeout(state.timer);
      await Promise.all([...[...driven.values()].map(({ pumping }) => pumping), settling.stop()]);
    },
  };
}

export type ClockDriver = ReturnType<typeof createClockDriver>;

export const ranItem = ({ application, kind, key, at }: DueItem) => ({ application, kind, key, at: instant(at) });
