import { isSignedApi } from '../../shared/catalog/apis.ts';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readTimeline } from '../../shared/catalog/control/operations/timelines.ts';
import { customer } from '../../shared/catalog/customer/objects.ts';
import { loyaltyAccount } from '../../shared/catalog/loyalty/objects.ts';
import { recordOf } from '../../shared/control/journal.ts';
import { sequenceBreathing } from '../../shared/control/sequence.ts';
import { type Breathe, eachBreathing, sortedBreathing } from '../../shared/domain/breathe.ts';
import { instant } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { readEach } from '../../shared/process/slices.ts';
import { LOGS } from '../../shared/store/ports/logs.ts';
import type { Found, StoredEvent } from '../../shared/store/ports/objects.ts';
import { readMoves } from '../clock/moves.ts';
import { NAMED_BY } from '../explanations/find.ts';
import { objectName } from '../explanations/words.ts';
import { type Happening, merged } from '../journal/timeline.ts';
import { describeObject, type Published, publishedOf } from '../objects/list.ts';
import { relatedObjects } from '../objects/related-objects.ts';
import type { ListedType } from '../objects/types.ts';
import type { OperationScope } from '../operate.ts';
import { type Mark, markOf } from './marks.ts';
import { objectHops } from './object-hops.ts';

type Timeline = ControlOutput<typeof readTimeline>;

/** Newest events that are read of the object, and of each object that belongs to it. */
const MOST_EVENTS = 1_000;
const MOST_EVENTS_OF_RELATED = 200;

/** Many orders change these objects. The timeline of one order has only the changes that its own traces made. */
const SHARED: ReadonlySet<string> = new Set([customer.type, loyaltyAccount.type]);

/** A published version of an object. */
interface Version {
  readonly stored: StoredEvent;
  readonly event: EstateEvent;
}

/** An object on the timeline, with its newest versions, oldest first. */
interface Lived {
  readonly type: string;
  readonly id: string;
  readonly object: Published;
  readonly label?: string | undefined;
  readonly isShared: boolean;
  readonly versions: readonly Version[];
}

/** A fault may reorder the events of an object. */
const byVersion = (one: Version, other: Version): number => one.event.aggregateversion - other.event.aggregateversion;

export interface Asked {
  readonly type: ListedType;
  readonly found: Found;
  /** Maximum number of marks. The newest stay. */
  readonly limit: number;
}

interface History {
  readonly itself: Lived;
  /** The object itself, then the objects that belong to it. */
  readonly lived: readonly Lived[];
  /** Sorted by the rehearsal's clock. */
  readonly happenings: readonly Happening[];
  /** By id of an event: the object before it. */
  readonly before: ReadonlyMap<string, Published>;
  /** Correlation ids of the hops. */
  readonly traces: ReadonlySet<string>;
  /** Whether the journal has discarded older hops. */
  readonly truncated: boolean;
}

type TimelineScope = Pick<OperationScope, 'worlds' | 'objects' | 'view'>;

/** What happened to an object and to the objects that belong to it, from their events, the journal and the moves of the clock. */
export async function historyOf(
  { worlds, objects, view: { world } }: TimelineScope,
  { type, found }: Pick<Asked, 'type' | 'found'>,
  breathe: Breathe,
): Promise<History> {
  const described = { ...describeObject(type, found), type: type.definition.type, object: publishedOf(type, found) };
  const related = await relatedObjects(worlds, { world, objects, products: false }, { type, found }, breathe);
  const read = async (one: typeof described): Promise<Lived> => {
    const most = one === described ? MOST_EVENTS : MOST_EVENTS_OF_RELATED;
    const newest = await worlds.newestEventsAbout(world, { by: 'subject', value: `${one.type}/${one.id}` }, most);
    const versions = await eachBreathing(newest.toReversed(), breathe, (stored) => ({
      stored,
      event: JSON.parse(stored.json) as EstateEvent,
    }));
    return { ...one, isShared: SHARED.has(one.type) && !SHARED.has(described.type), versions: versions.toSorted(byVersion) };
  };
  const [itself, ...others] = (await readEach([described, ...related], read, breathe)) as [Lived, ...Lived[]];
  const lived = [itself, ...others];
  const own = lived.filter(({ isShared }) => !isShared);
  const ownVersions = own.flatMap(({ versions }) => versions);
  const { entries, discardedTo } = await worlds.journalOf(world);
  const sought = {
    names: new Set(own.flatMap(namesOf)),
    publishers: new Set(ownVersions.flatMap(({ stored: { hop } }) => hop ?? [])),
  };
  const hops = await objectHops(await eachBreathing(entries, breathe, recordOf), sought, breathe);
  const { arrows } = await sequenceBreathing(hops, isSignedApi, breathe);
  const publishers = new Set(hops.map(({ requestId }) => requestId));
  const causes = new Set(ownVersions.map(({ event }) => event.correlationid));
  const isCaused = ({ stored: { hop = '' }, event }: Version): boolean => publishers.has(hop) || causes.has(event.correlationid);
  const shown = lived.flatMap(({ isShared, versions }) => (isShared ? versions.filter(isCaused) : versions));
  const events = await sortedBreathing(
    shown.map(({ stored }) => stored),
    (one, other) => one.order - other.order,
    breathe,
  );
  const happenings = await merged(arrows, events, await readMoves(worlds, world, { limit: LOGS.moves.most }), breathe);
  return {
    itself,
    lived,
    happenings: await byClock(sinceFirst(happenings), breathe),
    before: previousVersions(lived),
    traces: new Set(hops.map(({ correlationId }) => correlationId)),
    truncated: discardedTo > 0,
  };
}

/** Happenings sorted by the rehearsal's clock. Within an instant they keep their sequence. */
export const byClock = (happenings: readonly Happening[], breathe: Breathe): Promise<Happening[]> =>
  sortedBreathing(happenings, (one, other) => timeOf(one) - timeOf(other), breathe);

/** The timeline of an object. */
export async function timelineOf(scope: TimelineScope, { type, found, limit }: Asked, breathe: Breathe): Promise<Timeline> {
  const { now } = scope.view;
  const { itself, lived, happenings: all, before, traces, truncated } = await historyOf(scope, { type, found }, breathe);
  return {
    type: itself.type,
    id: itself.id,
    name: objectName(itself.type, itself.id, itself.label),
    now: instant(now),
    objects: await eachBreathing(lived, breathe, (one) => ({
      type: one.type,
      id: one.id,
      name: objectName(one.type, one.id, one.label),
      application: scope.objects[one.type]?.application ?? type.application,
      states: statesOf(one),
    })),
    marks: await eachBreathing(all.slice(-limit), breathe, (one): Mark => {
      const { correlationId } = one.entry;
      return {
        ...markOf(one, before.get(one.entry.id), now),
        trace: correlationId !== undefined && traces.has(correlationId) ? correlationId : undefined,
      };
    }),
    omitted: Math.max(0, all.length - limit),
    truncated,
  };
}

/** The id of an object, and the number that a path or a request may have in its place. */
function namesOf({ type, id, object }: Lived): readonly string[] {
  const named = object[NAMED_BY[type] ?? ''];
  return typeof named === 'string' ? [id, named] : [id];
}

const timeOf = ({ entry: { at } }: Happening): number => Date.parse(at);

/** Leaves out the moves of the clock before anything happened to the objects. */
function sinceFirst(happenings: readonly Happening[]): readonly Happening[] {
  const first = happenings.find(({ entry }) => entry.what !== 'advance');
  const from = first ? timeOf(first) : Number.POSITIVE_INFINITY;
  return happenings.filter((one) => one.entry.what !== 'advance' || timeOf(one) > from);
}

/** By id of an event: the object before it. */
const previousVersions = (lived: readonly Lived[]): ReadonlyMap<string, Published> =>
  new Map(
    lived.flatMap(({ versions }) =>
      versions.slice(1).map(({ event }, place): [string, Published] => [event.id, versions[place]?.event.data.object ?? {}]),
    ),
  );

/** Each state with its beginning. An object of the initial data has no event before its first change. */
function statesOf({ object, versions }: Lived): Timeline['objects'][number]['states'] {
  const createdAt = String(object['createdAt'] ?? '');
  const first = versions[0]?.event;
  const earlier = first === undefined ? stateIn(object) : first.aggregateversion > 1 ? (first.data.previousState ?? undefined) : undefined;
  const states = earlier === undefined || createdAt === '' ? [] : [{ at: createdAt, state: earlier }];
  for (const { event } of versions) {
    const state = stateIn(event.data.object);
    if (state !== undefined && state !== states.at(-1)?.state) states.push({ at: event.time, state });
  }
  return states;
}

const stateIn = ({ state, pointsBalance }: Published): string | undefined =>
  typeof state === 'string' ? state : typeof pointsBalance === 'number' ? `${pointsBalance} points` : undefined;
