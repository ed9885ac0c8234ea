import { randomUUID } from 'node:crypto';
import { type Agent, request } from 'undici';
import type { Application } from '../../shared/catalog/applications.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { CONTEXT_HEADER, type Context, encodeContext, instant, TOKEN_HEADER } from '../../shared/simulation/context.ts';
import { type DueItem, type Ledger, type Ms, PUBLISH_HELD_EVENT, type World, type Worlds } from '../../shared/store/ports.ts';

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
/** Wall time after which a look tells whether the lease of work that somebody held has run out: nobody says when it does. */
const LEASES_MS = 1_000;
/** The longest delay that a timer takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ClockDriverOptions {
  readonly worlds: Worlds;
  readonly addressOf: (application: Application) => string;
  readonly token: string;
  readonly agent: Agent;
  readonly log: Logger;
}

export interface Settled {
  readonly settled: boolean;
  readonly waitingFor: readonly string[];
}

export interface Advanced extends Settled {
  readonly now: Ms;
  readonly ran: readonly DueItem[];
}

interface Driven {
  pumping: Promise<void> | undefined;
  again: boolean;
  advancing: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Runs due work: what falls due as time flows, and, in order and one by one, what falls due while a clock is advanced. */
export function createClockDriver(options: ClockDriverOptions) {
  const { worlds, log } = options;
  const driven = new Map<World, Driven>();
  const waiters = new Map<World, Set<() => void>>();
  /** Per world and application the last held event that goes back: the order in which they were held, whatever runs at once. */
  const goingBack = new Map<string, ReturnType<typeof dispatch>>();
  let stopped = false;

  const stateOf = (world: World): Driven => {
    const found = driven.get(world);
    if (found) return found;
    const made: Driven = { pumping: undefined, again: false, advancing: false, timer: undefined };
    driven.set(world, made);
    return made;
  };

  const unwatch = worlds.watch((world) => {
    for (const wake of waiters.get(world) ?? []) wake();
    pump(world);
  });

  /** Resolves at the next change of a world, or after a while. */
  function changed(world: World, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const set = waiters.get(world) ?? new Set();
      waiters.set(world, set);
      const done = (): void => {
        clearTimeout(timer);
        set.delete(done);
        if (set.size === 0) waiters.delete(world);
        resolve();
      };
      const timer = setTimeout(done, ms);
      set.add(done);
    });
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
    const view = await worlds.current(world);
    if (!view) {
      driven.delete(world);
      return;
    }
    // Most changes make nothing due; one look tells, where every lane would take its own.
    let { next, running } = await worlds.ledger(world);
    if (next && next.at <= view.now) {
      await Promise.all(Array.from({ length: PARALLEL }, () => lane(world, state)));
      if (!(await worlds.current(world))) return;
      ({ next, running } = await worlds.ledger(world));
    }
    const after = await worlds.current(world);
    if (!after || stopped) return;
    const waits = [...(next && after.flowing ? [Math.max(0, next.at - after.now)] : []), ...(running.length > 0 ? [LEASES_MS] : [])];
    if (waits.length === 0) return;
    state.timer = setTimeout(() => pump(world), Math.min(...waits, LONGEST_TIMER_MS));
    state.timer.unref();
  }

  async function lane(world: World, state: Driven): Promise<void> {
    while (!state.advancing && !stopped) {
      const now = (await worlds.current(world))?.now;
      if (now === undefined || !(await runNext(world, now, now))) return;
    }
  }

  /** Runs the lowest item that is due by then. @returns it and whether it is done, or undefined when there is none */
  async function runNext(world: World, upTo: Ms, now: Ms): Promise<{ item: DueItem; done: boolean } | undefined> {
    const token = randomUUID();
    const item = await worlds.takeDue(world, upTo, token, ITEM_LEASE_MS);
    if (!item) return undefined;
    const failure = await (item.kind === PUBLISH_HELD_EVENT ? inTurn : dispatch)(world, item, token, now);
    if (failure === undefined) return { item, done: true };
    if (failure.held) {
      // Its leases run in wall time: waiting costs no attempt and does not move the rehearsal's clock.
      await new Promise((resolve) => setTimeout(resolve, HELD_MS));
      await worlds.putBackDue(world, item, token, { at: item.at, attempts: item.attempts });
      return { item, done: false };
    }
    const wait = BACKOFF_MS[item.attempts];
    log.warn({ world, kind: item.kind, key: item.key, attempts: item.attempts + 1, failure: failure.text }, 'due work failed');
    await worlds.putBackDue(
      world,
      item,
      token,
      wait === undefined ? { parked: failure.text } : { at: now + wait, attempts: item.attempts + 1 },
    );
    return { item, done: false };
  }

  async function inTurn(world: World, item: DueItem, token: string, now: Ms): ReturnType<typeof dispatch> {
    const queue = `${world}|${item.application}`;
    const turn = (goingBack.get(queue) ?? Promise.resolve(undefined)).then(() => dispatch(world, item, token, now));
    goingBack.set(queue, turn);
    const failure = await turn;
    if (goingBack.get(queue) === turn) goingBack.delete(queue);
    return failure;
  }

  /** @returns what went wrong, or undefined; `held` when a request that broke off still holds its key */
  async function dispatch(world: World, item: DueItem, token: string, now: Ms): Promise<{ text: string; held: boolean } | undefined> {
    const view = await worlds.current(world);
    if (!view) return undefined;
    const context: Context = {
      world,
      now,
      principal: 'clock',
      requestId: newId('req', now),
      correlationId: item.correlationId,
      deadline: Date.now() + DISPATCH_DEADLINE_MS,
      faults: view.faults,
      ...(view.progression && { progression: view.progression }),
      chain: [],
    };
    try {
      const response = await request(`${options.addressOf(item.application)}/_work/due`, {
        method: 'POST',
        headers: { [CONTEXT_HEADER]: encodeContext(context), [TOKEN_HEADER]: options.token, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: item.kind, key: item.key, token }),
        dispatcher: options.agent,
        signal: AbortSignal.timeout(DISPATCH_DEADLINE_MS + ANSWER_MARGIN_MS),
      });
      const text = await response.body.text();
      return response.statusCode < 300 ? undefined : { text, held: text.includes('"idempotency_in_progress"') };
    } catch (error) {
      return { text: error instanceof Error ? error.message : String(error), held: false };
    }
  }

  const waitingFor = (ledger: Ledger, now: Ms): readonly string[] => [
    ...ledger.unsent.map((key) => `unsent ${key}`),
    ...ledger.pending.map((key) => `pending ${key}`),
    ...ledger.running.map((key) => `running ${key}`),
    ...(ledger.next && ledger.next.at <= now ? [`due ${ledger.next.application}|${ledger.next.kind}|${ledger.next.key}`] : []),
  ];

  /** Waits for quiet; `during` an advance it runs what is due itself, one by one. */
  async function settle(world: World, timeoutMs: number, ran?: DueItem[]): Promise<Settled> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const view = await worlds.current(world);
      if (!view) return { settled: false, waitingFor: ['the rehearsal was reset or deleted meanwhile'] };
      const next = ran && (await runNext(world, view.now, view.now));
      if (next?.done) ran?.push(next.item);
      if (next && Date.now() < until) continue;
      const open = waitingFor(await worlds.ledger(world), view.now);
      if (open.length === 0) return { settled: true, waitingFor: [] };
      if (Date.now() >= until) return { settled: false, waitingFor: open };
      if (!ran) pump(world);
      await changed(world, 20);
    }
  }

  async function advance(world: World, to: Ms, timeoutMs: number): Promise<Advanced> {
    const state = stateOf(world);
    const token = randomUUID();
    if (state.advancing || !(await worlds.lease(world, token, 600_000))) {
      throw new Problem('clock_busy', 'This rehearsal’s clock is being advanced already; wait for that to end.', { retryAfter: 1 });
    }
    state.advancing = true;
    const ran: DueItem[] = [];
    const before = await worlds.current(world);
    if (!before) throw new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted meanwhile.');
    let now = before.now;
    try {
      await state.pumping;
      await worlds.setClock(world, { now, flowing: false });
      let outcome = await settle(world, timeoutMs, ran);
      while (outcome.settled) {
        const { next } = await worlds.ledger(world);
        if (!next || next.at > to) break;
        now = Math.max(now, next.at);
        await worlds.setClock(world, { now, flowing: false });
        outcome = await settle(world, timeoutMs, ran);
      }
      if (outcome.settled) now = Math.max(now, to);
      return { now, ran, ...outcome };
    } finally {
      if (await worlds.current(world)) await worlds.setClock(world, { now, flowing: before.flowing });
      state.advancing = false;
      await worlds.unlease(world, token);
      pump(world);
    }
  }

  return {
    settle: (world: World, timeoutMs: number) => settle(world, timeoutMs),
    advance,
    /** Lets time flow, or stops it where it is. */
    async setFlowing(world: World, flowing: boolean): Promise<void> {
      if (stateOf(world).advancing)
        throw new Problem('clock_busy', 'This rehearsal’s clock is being advanced; wait for that to end.', { retryAfter: 1 });
      const view = await worlds.current(world);
      if (view && view.flowing !== flowing) await worlds.setClock(world, { now: view.now, flowing });
    },
    async stop(): Promise<void> {
      stopped = true;
      unwatch();
      for (const state of driven.values()) clearTimeout(state.timer);
      await Promise.all([...driven.values()].map(({ pumping }) => pumping));
    },
  };
}

export type ClockDriver = ReturnType<typeof createClockDriver>;

export const ranItem = ({ application, kind, key, at }: DueItem) => ({ application, kind, key, at: instant(at) });
