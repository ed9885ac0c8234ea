import type { StreamFrame, StreamTopic } from '../../shared/catalog/control/operations/stream.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Worlds } from '../../shared/store/ports/estate-store.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { OperationScope } from '../operate.ts';
import { cursorOf, type Place } from './cursor.ts';
import { endOf, eventsAfter, hopsAfter, MOST_RECORDS } from './logs.ts';
import type { Frame } from './send-frames.ts';

type FrameMakerParts = Pick<OperationScope, 'worlds' | 'control' | 'runs' | 'bound'>;

/** Why the reader must read its lists again. */
type GapReason = 'discarded' | 'reset' | 'deleted';

/** Makes the frames of one stream, and keeps its cursor. */
export class FrameMaker {
  readonly #parts: FrameMakerParts;
  readonly #topics: ReadonlySet<StreamTopic>;
  readonly #worlds: Worlds;
  #place: Place;
  #present: ReturnType<typeof createPresent>;
  #sentAt = Date.now();

  constructor(parts: FrameMakerParts, topics: ReadonlySet<StreamTopic>, place: Place) {
    this.#parts = parts;
    this.#topics = topics;
    this.#worlds = parts.worlds;
    this.#place = place;
    this.#present = createPresent(parts);
  }

  get world(): World {
    return this.#place.world;
  }

  get silentMs(): Ms {
    return Date.now() - this.#sentAt;
  }

  /** The topics without a log that have changed since their last frame. */
  async *presentFrames(view: WorldView): AsyncGenerator<Frame, void> {
    for (const topic of PRESENT_TOPICS) {
      const data = this.#topics.has(topic) ? await this.#present[topic](view) : undefined;
      if (data !== undefined) yield this.#frame(topic, data);
    }
  }

  /** The next page of both logs. @returns whether there is more */
  async *logFrames(): AsyncGenerator<Frame, boolean> {
    const hops = this.#topics.has('hops') ? await hopsAfter(this.#worlds, this.#place) : { data: [], last: this.#place.hops };
    if (!hops) {
      this.#place = await endOf(this.#worlds, this.world);
      yield this.gap('discarded');
      return true;
    }
    if (hops.data.length > 0) {
      this.#place = { ...this.#place, hops: hops.last };
      yield this.#frame('hops', hops.data);
    }
    const events = this.#topics.has('events') ? await eventsAfter(this.#worlds, this.#place) : { data: [], last: this.#place.events };
    if (events.data.length > 0) {
      this.#place = { ...this.#place, events: events.last };
      yield this.#frame('events', events.data);
    }
    return hops.data.length === MOST_RECORDS || events.data.length === MOST_RECORDS;
  }

  gap(reason: GapReason): Frame {
    return this.#frame('gap', { reason });
  }

  /** Keeps the connection open. */
  alive(): Frame {
    this.#sentAt = Date.now();
    return 'alive';
  }

  /** Continues at the end of the world that has replaced this one, and sends its present state. */
  async moveTo(world: World): Promise<void> {
    this.#place = await endOf(this.#worlds, world);
    this.#present = createPresent(this.#parts);
  }

  #frame(event: StreamFrame, data: unknown): Frame {
    this.#sentAt = Date.now();
    return { event, id: cursorOf(this.#place), data };
  }
}

/** Tolerated deviation of a clock from wall time. Reads take time, so small deviations mean nothing. */
const TOLERANCE_MS: Ms = 1_000;

/** The present data of a topic. Undefined when it has not changed since its last frame. */
type Changed = (view: WorldView) => Promise<unknown> | unknown;

/** The topics without a log: each sends its present state first, then every change. */
function createPresent({ control, runs, bound }: FrameMakerParts) {
  let sentClock: { readonly now: Ms; readonly flowing: boolean; readonly moves: number; readonly wall: Ms } | undefined;
  let sentFaults = '';
  let sentRuns: string | undefined;

  const changedClock: Changed = ({ now, flowing, moves }) => {
    const wall = Date.now();
    const expected = sentClock && (flowing ? sentClock.now + wall - sentClock.wall : sentClock.now);
    const isSame =
      expected !== undefined &&
      sentClock?.flowing === flowing &&
      sentClock.moves === moves &&
      Math.abs(now - expected) <= (flowing ? TOLERANCE_MS : 0);
    if (isSame) return undefined;
    sentClock = { now, flowing, moves, wall };
    return { now: instant(now), flowing, moves };
  };

  const changedFaults: Changed = async ({ world }) => {
    const { revision, rules } = await control.faults(world);
    const present = { revision, hits: rules.reduce((sum, { hits }) => sum + hits, 0) };
    const text = JSON.stringify(present);
    if (text === sentFaults) return undefined;
    sentFaults = text;
    return present;
  };

  const changedRuns: Changed = async ({ world: present }) => {
    const { items: all, versions } = await runs.list();
    const items = bound === undefined ? all : all.filter(({ world }) => world === present);
    // A run whose gateway died changes without a new version.
    const text = items.map(({ id, state }) => `${id} ${versions.get(id)} ${state}`).join();
    if (text === sentRuns) return undefined;
    sentRuns = text;
    return items;
  };

  return { clock: changedClock, faults: changedFaults, runs: changedRuns } as const;
}

const PRESENT_TOPICS = ['clock', 'faults', 'runs'] as const;
