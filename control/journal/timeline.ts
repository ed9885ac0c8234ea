import type { z } from 'zod';
import { isSignedApi } from '../../shared/catalog/apis.ts';
import type { SequenceEntry } from '../../shared/catalog/control/operations/sequences.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { type Arrow, sequenceBreathing } from '../../shared/control/sequence.ts';
import { type Breathe, breathing, eachBreathing, type Steps, stepsBreathing } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import { LOGS, type LogStore } from '../../shared/store/ports/logs.ts';
import type { EventReader, StoredEvent } from '../../shared/store/ports/objects.ts';
import { type RecordedMove, readMoves } from '../clock/moves.ts';

/** Something that happened, with the bodies that an expectation may name. */
export interface Happening {
  readonly entry: z.output<typeof SequenceEntry>;
  readonly request?: unknown;
  readonly response?: unknown;
  /** The object of an event. */
  readonly object?: unknown;
  /** The hop of a call, a delivery or a timer. */
  readonly hop?: JournalRecord;
  /** The application that caused the hop; `client` for a request from outside. */
  readonly from?: string;
  /** Request id of the hop that published the event. */
  readonly publisher?: string | undefined;
  readonly event?: EstateEvent;
}

interface Timeline {
  readonly happenings: readonly Happening[];
  /** Whether the journal has discarded older hops. */
  readonly truncated: boolean;
}

const EVENTS_PER_READ = 1_000;

/**
 * All that happened in a world, sorted by the wall clock. A hop comes after its cause. An event comes after the hop that published
 * it, after earlier events on the bus, and before its deliveries. A clock move comes before the hops that ended after it began.
 */
export async function readTimeline(
  worlds: JournalReader & EventReader & Pick<LogStore, 'entries'>,
  world: World,
  correlationId: string | undefined,
  breathe: Breathe,
): Promise<Timeline> {
  const { entries, discardedTo } = await worlds.journalOf(world, { correlationId });
  const events = await readEvents(worlds, world, correlationId);
  const moves = await readMoves(worlds, world, { limit: LOGS.moves.most });
  const { arrows } = await sequenceBreathing(await eachBreathing(entries, breathe, recordOf), isSignedApi, breathe);
  return { happenings: await merged(arrows, events, moves, breathe), truncated: discardedTo > 0 };
}

/** All events of a world or of a trace, sorted by their place on the bus. */
export async function readEvents(worlds: EventReader, world: World, correlationId?: string): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.order ?? 0;
    const events =
      correlationId === undefined
        ? await worlds.events(world, after, EVENTS_PER_READ)
        : (await worlds.eventsAbout(world, { by: 'correlation', value: correlationId }, after, EVENTS_PER_READ)).events;
    all.push(...events);
    if (events.length < EVENTS_PER_READ) return all;
  }
}

/** Puts events and clock moves between the hops, sorted as `readTimeline` sorts them. */
export async function merged(
  arrows: readonly Arrow<JournalRecord>[],
  events: readonly StoredEvent[],
  moves: readonly RecordedMove[],
  breathe: Breathe,
): Promise<Happening[]> {
  const places = new Map<string, number>();
  const firstDelivery = new Map<string, number>();
  for await (const [place, { hop }] of breathing(arrows.entries(), breathe)) {
    places.set(hop.requestId, place);
    const event = eventIdIn(hop);
    if (event !== undefined && !firstDelivery.has(event)) firstDelivery.set(event, place);
  }
  const lastCalls = await stepsBreathing(lastCallsOf(arrows, places), breathe);
  let last = -1;
  /** After its publisher and the publisher's calls, and after earlier events on the bus, but before its first delivery. */
  const placeOf = ({ id, hop }: StoredEvent): number => {
    const publisher = places.get(hop ?? '') ?? -1;
    const published = Math.max(last, publisher, lastCalls[publisher] ?? -1);
    const place = Math.min(published, Math.max(publisher, (firstDelivery.get(id) ?? arrows.length) - 1));
    last = Math.max(last, place);
    return place;
  };
  const placesOfEvents = await eachBreathing(events, breathe, placeOf);
  const placed = Map.groupBy(events, (_, position) => placesOfEvents[position] ?? -1);
  const unplaced = [...moves].sort((one, other) => one.number - other.number);
  const happenings = await eachBreathing(placed.get(-1) ?? [], breathe, ofEvent);
  for await (const [place, arrow] of breathing(arrows.entries(), breathe)) {
    while (unplaced[0] && arrow.hop.sequence > unplaced[0].after) happenings.push(ofMove(unplaced.shift() as RecordedMove));
    happenings.push(ofHop(arrow), ...(await eachBreathing(placed.get(place) ?? [], breathe, ofEvent)));
  }
  return [...happenings, ...unplaced.map(ofMove)];
}

/** For each hop, the place of the last call that it made, directly or through its calls; its own place if it made none. */
function* lastCallsOf(arrows: readonly Arrow<JournalRecord>[], places: ReadonlyMap<string, number>): Steps<readonly number[]> {
  const lasts = arrows.map((_, place) => place);
  for (let place = arrows.length - 1; place >= 0; place--) {
    const caller = arrows[place]?.caller;
    const by = caller && places.get(caller.hop.requestId);
    if (by !== undefined) lasts[by] = Math.max(lasts[by] ?? by, lasts[place] ?? place);
    yield;
  }
  return lasts;
}

/** A first delivery is named `<event>.<application>`. */
const eventIdIn = ({ api, requestId }: JournalRecord): string | undefined =>
  api.startsWith('event:') ? requestId.slice(0, requestId.indexOf('.')) : undefined;

function ofHop({ hop, from }: Arrow<JournalRecord>): Happening {
  const { api, application, status, requestId: id, correlationId, at, request, response } = hop;
  const common = { application, status, id, correlationId, at };
  if (api.startsWith('event:')) return { entry: { what: 'delivery', name: api.slice('event:'.length), ...common }, hop, from };
  if (api.startsWith('due:')) return { entry: { what: 'timer', name: api.slice('due:'.length), ...common }, hop };
  return { entry: { what: 'call', name: api, by: from, ...common }, request, response, hop, from };
}

function ofEvent({ id, json, hop }: StoredEvent): Happening {
  const event = JSON.parse(json) as EstateEvent;
  const { type, source, subject, correlationid, time, data } = event;
  const application = source.slice(source.lastIndexOf(':') + 1);
  const entry = { what: 'event', name: nameOf(type), application, subject, id, correlationId: correlationid, at: time } as const;
  return { entry, object: data.object, event, publisher: hop };
}

const ofMove = ({ number, from, to }: RecordedMove): Happening => ({
  entry: { what: 'advance', name: `${instant(from)} to ${instant(to)}`, id: String(number), at: instant(to) },
});
