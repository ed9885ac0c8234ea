import { LATEST_CLOCK } from '../../shared/catalog/limits.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { ClockStore } from '../../shared/store/ports/due-work.ts';
import type { Directory } from '../../shared/store/ports/rehearsals.ts';
import { isStoreUnavailable } from '../../shared/store/store-unavailable.ts';
import type { DueRunner } from './due-runner.ts';

/** Maximum number of items of a world that run concurrently while time flows. During an advance, one item runs at a time. */
const ITEMS_AT_ONCE = 8;
/** Wall time between polls, because an expired lease sends no notification, and between retries while the store is unavailable. */
const POLL_MS: Ms = 1_000;
const NO_TIMER = Number.POSITIVE_INFINITY;
/** The longest delay of a Node.js timer. */
const LONGEST_TIMER_MS: Ms = 2 ** 31 - 1;

interface FlowOptions {
  readonly worlds: Directory & ClockStore;
  readonly runner: DueRunner;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

interface FlowState {
  running: Promise<void> | undefined;
  /** Whether the world changed while its work ran. */
  hasChanged: boolean;
  /** Whether this process advances the clock. The advance then runs the due work. */
  isSuspended: boolean;
  timer: NodeJS.Timeout | undefined;
  /** A value of `performance.now()`. */
  timerAt: number;
}

/** Runs work of each world as it falls due, until an advance takes its clock. */
export function createFlow({ worlds, runner, log, stopping }: FlowOptions) {
  const states = new Map<World, FlowState>();

  function stateOf(world: World): FlowState {
    const found = states.get(world);
    if (found) return found;
    const created: FlowState = { running: undefined, hasChanged: false, isSuspended: false, timer: undefined, timerAt: NO_TIMER };
    states.set(world, created);
    return created;
  }

  /** Begins the work that is due, without waiting for its end. */
  function run(world: World): void {
    const state = stateOf(world);
    if (stopping.aborted || state.isSuspended) return;
    if (state.running) {
      state.hasChanged = true;
      return;
    }
    state.running = runDueWork(world, state)
      .catch((error: unknown) => {
        log[isStoreUnavailable(error) ? 'debug' : 'warn']({ err: error, world }, 'clock driver failed');
        if (!stopping.aborted) setTimer(world, state, POLL_MS);
      })
      .finally(() => {
        state.running = undefined;
        if (state.hasChanged) {
          state.hasChanged = false;
          run(world);
        }
      });
  }

  /** Runs the work that is due after a wait, unless the world is suspended. Only work that is due now needs a read; otherwise a timer is set. */
  function runAfter(world: World, waitMs: Ms): void {
    const state = stateOf(world);
    if (waitMs === 0) run(world);
    else if (!stopping.aborted && !state.isSuspended) setTimer(world, state, waitMs);
  }

  function setTimer(world: World, state: FlowState, waitMs: Ms): void {
    const at = performance.now() + waitMs;
    if (at >= state.timerAt) return;
    clearTimer(state);
    state.timerAt = at;
    const ring = (): void => {
      clearTimer(state);
      run(world);
    };
    state.timer = setTimeout(ring, Math.min(waitMs, LONGEST_TIMER_MS)).unref();
  }

  function clearTimer(state: FlowState): void {
    clearTimeout(state.timer);
    state.timerAt = NO_TIMER;
  }

  async function runDueWork(world: World, state: FlowState): Promise<void> {
    clearTimer(state);
    // Few changes make work due. One cheap read of the status comes before the several reads that look for an item.
    let status = await worlds.status(world);
    if (status?.next && status.next.at <= status.now && !status.advancing) {
      await Promise.all(Array.from({ length: ITEMS_AT_ONCE }, () => runUntilNothingIsDue(world)));
      status = await worlds.status(world);
    }
    if (!status) states.delete(world);
    if (!status || stopping.aborted) return;
    const { now, flowing, next, running, advancing } = status;
    const waits: Ms[] = [];
    if (next && flowing && next.at <= LATEST_CLOCK) waits.push(Math.max(0, next.at - now));
    if (running > 0 || advancing) waits.push(POLL_MS);
    if (waits.length > 0) setTimer(world, state, Math.min(...waits));
  }

  async function runUntilNothingIsDue(world: World): Promise<void> {
    while (!stopping.aborted) {
      const view = await worlds.current(world);
      if (!view || !(await runner.runNext(view))) return;
    }
  }

  return {
    run,
    runAfter,
    suspend(world: World): void {
      stateOf(world).isSuspended = true;
    },
    /** Due work runs again from the next `run`. */
    resume(world: World): void {
      stateOf(world).isSuspended = false;
    },
    /** Resolves when the running work has ended. Abort `stopping` first. */
    async stop(): Promise<void> {
      for (const { timer } of states.values()) clearTimeout(timer);
      await Promise.all([...states.values()].map(({ running }) => running));
    },
  };
}

export type Flow = ReturnType<typeof createFlow>;
