import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import type { OperationOutput } from '../call-types.ts';
import { STAGE_CORRELATION } from '../stage.ts';
import type { Site } from './run.ts';

export type Hop = OperationOutput<'read-journal'>['items'][number];
type ListedDelivery = OperationOutput<'list-webhook-deliveries'>['items'][number];

/** A delivery of an event to a registered webhook. */
export interface Delivery {
  readonly webhook: string;
  /** The name of the event, without its prefix. */
  readonly event: string;
  readonly subject: string;
}

/** A call of the user's system, at its place among the calls of its API. */
export interface CallSite extends Site {
  readonly kind: 'call';
  readonly api: ApiDefinition;
  /** Counted from 1 among the outside calls of the API. */
  readonly place: number;
  /** Calls of the API before it, with the calls of a story that the estate plays. */
  readonly before: number;
  /** Calls of the API from this one to the next call of the story; undefined when the story makes no call of it. */
  readonly untilStory?: number;
  /** Whether it may change something. */
  readonly changes: boolean;
  /** Whether it is the last one of its API in the baseline. */
  readonly isLast: boolean;
}

export interface DeliverySite extends Site {
  readonly kind: 'delivery';
  readonly webhook: string;
  readonly event: string;
  /** Counted from 1 among the deliveries of this event to the webhook. */
  readonly place: number;
  /** Deliveries to the webhook before it, of any event. */
  readonly before: number;
  /** Whether the webhook gets a later event about the same object. */
  readonly hasSuccessor: boolean;
  readonly isLast: boolean;
}

export interface StartSite extends Site {
  readonly kind: 'start';
}

export type PlannedSite = CallSite | DeliverySite | StartSite;

export const START: StartSite = { id: 'start', kind: 'start', label: 'Start of the story' };

const known: Readonly<Record<string, ApiDefinition>> = apis;

/** The API that a client calls in a hop. Carriers sign their webhooks and have no credential, so their calls are not calls of clients. */
export function calledApi({ api: id, parentId }: Hop): ApiDefinition | undefined {
  const api = Object.hasOwn(known, id) ? known[id] : undefined;
  return parentId === undefined && api !== undefined && api.audience === 'public' && api.auth !== 'signature' ? api : undefined;
}

/** The calls of clients, in the sequence of their starts. */
export const outsideCalls = (journal: readonly Hop[]): readonly Hop[] => bySequence(journal.filter((hop) => calledApi(hop) !== undefined));

const bySequence = (hops: readonly Hop[]): readonly Hop[] =>
  hops.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt) || one.sequence - other.sequence);

/** The cause of a call that the estate makes to play a story. */
const STORY = 'story';
const isOfStory = ({ parentId }: Hop): boolean => parentId === STORY;

/**
 * Makes the story the cause of its calls. The stage gives each call a correlation id. A service that
 * passes it on does so later.
 */
export function withStory(journal: readonly Hop[]): readonly Hop[] {
  const first = new Map<string, Hop>();
  for (const hop of outsideCalls(journal)) if (!first.has(hop.correlationId)) first.set(hop.correlationId, hop);
  return journal.map((hop) =>
    hop.correlationId.startsWith(STAGE_CORRELATION) && first.get(hop.correlationId) === hop ? { ...hop, parentId: STORY } : hop,
  );
}

/**
 * Whether a story lacks changes of the baseline, and made none more often. An amount is then higher because nothing reduced it.
 * @param lost whether the struck calls were carried out
 */
export function isCutShort(
  baseline: readonly Hop[],
  tried: readonly Hop[],
  { struck, lost }: { readonly struck: ReadonlySet<string>; readonly lost: boolean },
): boolean {
  const isMade = ({ requestId, status, unchanged }: Hop): boolean =>
    unchanged === undefined && ((status >= 200 && status < 300) || (lost && struck.has(requestId)));
  const [before, after] = [baseline, tried].map((journal) =>
    countsOf(outsideCalls(journal).flatMap((hop) => (isChange(calledApi(hop)) && isMade(hop) ? [hop.api] : []))),
  ) as [ReadonlyMap<string, number>, ReadonlyMap<string, number>];
  return (
    [...after].every(([api, count]) => count <= (before.get(api) ?? 0)) && [...before].some(([api, count]) => count > (after.get(api) ?? 0))
  );
}

/** Number of events that a webhook got no answer for, because its receiver had ended. */
export function undeliveredTo(webhook: string, journal: readonly Hop[]): number {
  const attempts = journal.filter(({ api }) => api === `webhook:${webhook}`);
  return [...Map.groupBy(attempts, ({ parentId }) => parentId).values()].filter(
    (some) => some.at(-1)?.status === 0 && !some.some(({ status }) => status >= 200 && status < 300),
  ).length;
}

/** The places in a story that a misfortune can strike, in the sequence of the story. */
export function sitesOf(journal: readonly Hop[], deliveries: readonly Delivery[]): readonly PlannedSite[] {
  return [START, ...callSites(journal), ...deliverySites(deliveries)];
}

function callSites(journal: readonly Hop[]): readonly CallSite[] {
  const calls = outsideCalls(journal);
  const counts = countsOf(calls.map(({ api }) => api));
  const places = counter();
  const all = bySequence([...calls, ...journal.filter(isOfStory)]);
  return calls.map((hop): CallSite => {
    const alike = all.filter((one) => one.api === hop.api);
    const before = alike.indexOf(hop);
    const untilStory = alike.slice(before).findIndex(isOfStory);
    const api = calledApi(hop) as ApiDefinition;
    const place = places(api.id);
    const count = counts.get(api.id) ?? 1;
    return {
      id: `${api.id}#${place}`,
      kind: 'call',
      label: count === 1 ? api.name : `${api.name}, ${ordinal(place)} call`,
      api,
      place,
      before,
      ...(alike.some(isOfStory) && { untilStory: untilStory < 0 ? alike.length - before : untilStory }),
      changes: isChange(api),
      isLast: place === count,
    };
  });
}

const isChange = (api: ApiDefinition | undefined): boolean => api !== undefined && api.method !== 'GET' && !api.storesNothing;

function deliverySites(deliveries: readonly Delivery[]): readonly DeliverySite[] {
  const keyOf = ({ webhook, event }: Delivery): string => `webhook ${webhook} ${event}`;
  const counts = countsOf(deliveries.map(keyOf));
  const places = counter();
  const before = counter();
  return deliveries.map((delivery, index): DeliverySite => {
    const { webhook, event, subject } = delivery;
    const key = keyOf(delivery);
    const place = places(key);
    const count = counts.get(key) ?? 1;
    return {
      id: `${key}#${place}`,
      kind: 'delivery',
      label: `${count === 1 ? '' : `${ordinal(place)} `}${event} to the webhook ${webhook}`,
      webhook,
      event,
      place,
      before: before(webhook) - 1,
      hasSuccessor: deliveries.slice(index + 1).some((later) => later.webhook === webhook && later.subject === subject),
      isLast: place === count,
    };
  });
}

/**
 * Deliveries sorted as they were sent. The seed draws this order for events of one call. Deliveries that were never sent come last. Test
 * events of other estates are left out.
 */
export const deliveriesOf = (webhook: string, listed: readonly ListedDelivery[], journal: readonly Hop[]): readonly Delivery[] => {
  const sequences = new Map(journal.map(({ requestId, sequence }) => [requestId, sequence]));
  const sentAt = ({ attempts: [first] }: ListedDelivery): number => sequences.get(first?.requestId ?? '') ?? Number.MAX_SAFE_INTEGER;
  return listed
    .toSorted((one, other) => sentAt(one) - sentAt(other) || Number(one.id) - Number(other.id))
    .map(({ event }) => ({ webhook, event: nameOf(event.type), subject: event.subject }))
    .filter(({ event }) => allEvents.some(({ name }) => name === event) || event.startsWith('ext.'));
};

function countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Counts from 1, by key. */
function counter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}

/** `first`, `2nd`, `11th` */
export function ordinal(place: number): string {
  if (place === 1) return 'first';
  const ending = place % 100 >= 11 && place % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
}
