import { GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { EndTurn, Turns } from '../ports/turns.ts';
import { nowOf, type WorldState } from './state.ts';

export interface TurnLimits {
  /**
   * Wall time without a beginning or an end of work, after which the next work begins. Work may wait for a request that waits for its turn:
   * a system outside the estate may call the estate before it answers.
   */
  readonly stuckMs: Ms;
  /** Wall time that a request waits for its turn. Much work may wait before it, such as deliveries to an application that does not answer. */
  readonly requestMs: Ms;
}

const LIMITS: TurnLimits = { stuckMs: 5_000, requestMs: 10_000 };

type Send = (world: World) => Promise<void>;
/** Begins work, with its end. */
type Begin = (end: EndTurn) => void;
type Mark = object;

class WorldTurns {
  readonly #state: WorldState;
  /** By application. */
  readonly #relays: ReadonlyMap<Owner, Send>;
  readonly #limits: TurnLimits;
  readonly #requests = new Set<Mark>();
  readonly #announced = new Set<Mark>();
  /** Relays whose last turn sent nothing. */
  readonly #asleep = new Set<Owner>();
  readonly #waiting = { request: [] as Begin[], delivery: [] as Begin[], due: [] as Begin[] };
  /** The delivery, the due work or the relay that has its turn. */
  #work: Mark | undefined;
  #lastChange = performance.now();
  #watch: NodeJS.Timeout | undefined;

  constructor(state: WorldState, relays: ReadonlyMap<Owner, Send>, limits: TurnLimits) {
    this.#state = state;
    this.#relays = relays;
    this.#limits = limits;
  }

  get isBusy(): boolean {
    return this.#work !== undefined || this.#requests.size > 0;
  }

  request(): Promise<EndTurn> {
    if (this.#requests.size > 0) return Promise.resolve(this.#mark(this.#requests));
    const timer = setTimeout(() => this.#admit(), this.#limits.requestMs).unref();
    return this.#wait('request').finally(() => clearTimeout(timer));
  }

  take(work: 'delivery' | 'due'): Promise<EndTurn> {
    return this.#wait(work);
  }

  announce(): EndTurn {
    return this.#mark(this.#announced);
  }

  wake(application: Owner): void {
    this.#asleep.delete(application);
    this.#beginNext();
  }

  #wait(kind: 'request' | 'delivery' | 'due'): Promise<EndTurn> {
    return new Promise((resolve) => {
      this.#waiting[kind].push(resolve);
      this.#beginNext();
    });
  }

  #mark(marks: Set<Mark>): EndTurn {
    const mark = {};
    marks.add(mark);
    this.#noteChange();
    return () => {
      if (marks.delete(mark)) this.#continue();
    };
  }

  #beginWork(begin: Begin): void {
    const work = {};
    this.#work = work;
    this.#noteChange();
    begin(() => {
      if (this.#work !== work) return;
      this.#work = undefined;
      this.#continue();
    });
  }

  #continue(): void {
    this.#noteChange();
    this.#beginNext();
  }

  #beginNext(): void {
    if (this.isBusy) return;
    const { delivery, due, request } = this.#waiting;
    const isDelivering = this.#announced.size > 0;
    const work = this.#nextToSend() ?? delivery.shift() ?? (isDelivering ? undefined : due.shift());
    if (work) this.#beginWork(work);
    else if (request.length > 0 && !isDelivering && !this.#hasDueWork()) this.#admit();
  }

  /** Requests that wait together came in parallel. */
  #admit(): void {
    for (const begin of this.#waiting.request.splice(0)) begin(this.#mark(this.#requests));
  }

  #nextToSend(): Begin | undefined {
    const [next] = this.#state.unsent ?? [];
    if (!next) return undefined;
    const [id, application] = next;
    const send = this.#relays.get(application);
    if (!send || this.#asleep.has(application)) return undefined;
    return (end) => {
      const sleepUnlessSent = (): void => {
        if (this.#state.unsent?.has(id)) this.#asleep.add(application);
        end();
      };
      send(this.#state.world).then(sleepUnlessSent, sleepUnlessSent);
    };
  }

  /** Webhooks to systems outside the estate do not count: a request need not wait for them. */
  #hasDueWork(): boolean {
    const { due } = this.#state;
    const now = nowOf(this.#state);
    const next = due.lowest(now, Date.now());
    if (next?.application !== GATEWAY) return next !== undefined;
    return due.free().some(({ application, at }) => application !== GATEWAY && at <= now);
  }

  #noteChange(): void {
    this.#lastChange = performance.now();
    this.#watch ??= setTimeout(() => this.#look(), this.#limits.stuckMs).unref();
  }

  #look(): void {
    this.#watch = undefined;
    const { request, delivery, due } = this.#waiting;
    if (request.length + delivery.length + due.length + (this.#state.unsent?.size ?? 0) === 0) return;
    const left = this.#lastChange + this.#limits.stuckMs - performance.now();
    if (left > 0) {
      this.#watch = setTimeout(() => this.#look(), left).unref();
      return;
    }
    this.#work = undefined;
    this.#requests.clear();
    this.#announced.clear();
    this.#continue();
    if (!this.isBusy) this.#admit();
  }
}

/** Turns in worlds with a seed. Other worlds have none. */
export function createMemoryTurns(all: ReadonlyMap<World, WorldState>, limits: Partial<TurnLimits> = {}): Turns {
  const relays = new Map<Owner, Send>();
  const turns = new WeakMap<WorldState, WorldTurns>();
  const nothing = (): void => {};

  function of(world: World): WorldTurns | undefined {
    const state = all.get(world);
    if (!state?.unsent) return undefined;
    const found = turns.get(state) ?? new WorldTurns(state, relays, { ...LIMITS, ...limits });
    turns.set(state, found);
    return found;
  }

  return {
    isOrdered: (world) => all.get(world)?.unsent !== undefined,
    request: async (world) => of(world)?.request() ?? nothing,
    isBusy: (world) => of(world)?.isBusy ?? false,
    take: async (world, work) => of(world)?.take(work) ?? nothing,
    announce: (world) => of(world)?.announce() ?? nothing,
    addRelay: (application, send) => {
      relays.set(application, send);
      return () => {
        if (relays.get(application) === send) relays.delete(application);
      };
    },
    wakeRelay: (world, application) => of(world)?.wake(application),
  };
}
