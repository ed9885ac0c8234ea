import { randomUUID } from 'node:crypto';
import { type Agent, request } from 'undici';
import type { Application } from '../../shared/catalog/applications.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { withTimeLimit } from '../../shared/runtime/time-limit.ts';
import { CONTEXT_HEADER, type Context, encodeContext, instant, TOKEN_HEADER } from '../../shared/simulation/context.ts';
import type { DueItem, Ledger, Ms, World, Worlds, WorldView } from '../../shared/store/ports.ts';
import { createChanges } from './changes.ts';

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
/** Wall time for which an advance keeps the clock without a sign of life: that long a clock stands whose driver died. */
const ADVANCE_LEASE_MS = 6_000;
/** How many times it gives a sign of life meanwhile. */
const RENEWALS = 4;
/** Wall time after which a wait looks again although nobody told of a change. */
const UNTOLD_MS = 250;
/** How many things of a kind are named that somebody waits for. */
const NAMED = 100;
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
  /** Here, and not by another gateway: what is due runs in the advance. */
  advancing: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** An advance: what it ran so far, and by which token it keeps the clock. */
interface Advance {
  readonly token: string;
  readonly ran: DueItem[];
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
    let look = await worlds.look(world);
    if (look?.next && look.next.at <= look.now && !look.advancing) {
      await Promise.all(Array.from({ length: PARALLEL }, () => lane(world)));
      look = await worlds.look(world);
    }
    if (!look) driven.delete(world);
    if (!look || stopped) return;
    const { now, flowing, next, running, advancing } = look;
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
    const item = await worlds.takeDue(world, now, token, ITEM_LEASE_MS, advance?.token);
    if (!item) return undefined;
    const failure = await dispatch(view, item, token);
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

  /** @returns what went wrong, or undefined; `held` when a request that broke off still holds its key */
  async function dispatch(view: WorldView, item: DueItem, token: string): Promise<{ text: string; held: boolean } | undefined> {
    const { world, now } = view;
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

  /** Waits for quiet; an advance runs what is due itself, one by one. */
  async function settle(world: World, timeoutMs: number, advance?: Advance): Promise<Settled> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const change = changes.next(world, UNTOLD_MS);
      try {
        const view = await worlds.current(world);
        if (!view) return { settled: false, waitingFor: ['the rehearsal was reset or deleted meanwhile'] };
        const next = advance && (await runNext(view, advance));
        if (next?.done) advance?.ran.push(next.item);
        if (next && Date.now() < until) continue;
        const ledger = await worlds.ledger(world, NAMED);
        // Read after the ledger: while time flows, what was just written falls due later than the clock said before.
        const now = (await worlds.current(world))?.now ?? view.now;
        const open = waitingFor(ledger, now);
        if (open.length === 0) return { settled: true, waitingFor: [] };
        if (Date.now() >= until || stopped) return { settled: false, waitingFor: open };
        if (!advance) pump(world);
        await change.happened;
      } finally {
        change.forget();
      }
    }
  }

  /** What others run of the time before ends first: from then on everything is in order. */
  async function othersDone(world: World, timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const change = changes.next(world, UNTOLD_MS);
      const look = await worlds.look(world);
      if (look && look.running > 0 && Date.now() < until) await change.happened;
      else return change.forget();
    }
  }

  async function advance(world: World, to: Ms, timeoutMs: number): Promise<Advanced> {
    const token = randomUUID();
    if (!(await worlds.lease(world, token, ADVANCE_LEASE_MS))) throw clockBusy();
    const state = stateOf(world);
    state.advancing = true;
    const renewing = setInterval(() => renew(world, token), ADVANCE_LEASE_MS / RENEWALS);
    try {
      return await advanceUnder({ token, ran: [] }, { world, to, timeoutMs });
    } finally {
      clearInterval(renewing);
      state.advancing = false;
      await worlds.unlease(world, token);
      pump(world);
    }
  }

  /** An advance that lost its clock hears so when it sets it the next time. */
  function renew(world: World, token: string): void {
    worlds.renewLease(world, token, ADVANCE_LEASE_MS).catch((error: unknown) => log.warn({ err: error, world }, 'a clock was not kept'));
  }

  async function advanceUnder(advance: Advance, { world, to, timeoutMs }: { world: World; to: Ms; timeoutMs: number }): Promise<Advanced> {
    const before = await worlds.current(world);
    if (!before) throw new Problem('unknown_rehearsal', 'This rehearsal was reset or deleted meanwhile.');
    let { now } = before;
    const moveTo = async (instant: Ms): Promise<void> => {
      now = Math.max(now, instant);
      if (!(await worlds.setClock(world, { now, flowing: false }, advance.token))) throw clockBusy();
    };
    await othersDone(world, timeoutMs);
    let outcome = await settle(world, timeoutMs, advance);
    while (outcome.settled) {
      const next = (await worlds.look(world))?.next;
      if (!next || next.at > to) {
        await moveTo(to);
        break;
      }
      await moveTo(next.at);
      outcome = await settle(world, timeoutMs, advance);
    }
    return { now, ran: advance.ran, ...outcome };
  }

  return {
    settle: (world: World, timeoutMs: number) => settle(world, timeoutMs),
    advance,
    changes,
    /** Lets time flow, or stops it where it is. */
    async setFlowing(world: World, flowing: boolean): Promise<void> {
      const view = await worlds.current(world);
      if (!view) return;
      const { now } = view;
      const look = view.flowing === flowing ? await worlds.look(world) : undefined;
      if (look?.advancing || (!look && !(await worlds.setClock(world, { now, flowing })))) throw clockBusy();
    },
    async stop(): Promise<void> {
      stopped = true;
      changes.stop();
      for (const state of driven.values()) clearTimeout(state.timer);
      await Promise.all([...driven.values()].map(({ pumping }) => pumping));
    },
  };
}

const clockBusy = (): Problem =>
  new Problem('clock_busy', 'This rehearsal’s clock is being advanced; wait for that to end.', { retryAfter: 1 });

/** What there is to wait for: the first by name, the others by number. */
function waitingFor({ unsent, pending, running, counts, next }: Ledger, now: Ms): readonly string[] {
  const named = (what: string, keys: readonly string[], count: number): readonly string[] => [
    ...keys.map((key) => `${what} ${key}`),
    ...(count > keys.length ? [`${what} and ${count - keys.length} more`] : []),
  ];
  return [
    ...named('unsent', unsent, counts.unsent),
    ...named('pending', pending, counts.pending),
    ...named('running', running, counts.running),
    ...(next && next.at <= now ? [`due ${next.application}|${next.kind}|${next.key}`] : []),
  ];
}

export type ClockDriver = ReturnType<typeof createClockDriver>;

export const ranItem = ({ application, kind, key, at }: DueItem) => ({ application, kind, key, at: instant(at) });
