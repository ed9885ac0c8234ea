import { allChanges, FORBIDDEN, type ForbiddenChange, PERMITTED, type PermittedChange } from '../../shared/catalog/control/drift.ts';
import { faultKinds } from '../../shared/catalog/control/faults.ts';
import { changesOf } from '../../shared/contract/drift/drift.ts';
import type { OperationInput } from '../call-types.ts';
import type { Family } from './run.ts';
import type { CallSite, DeliverySite, PlannedSite } from './sites.ts';

/** The body of put-fault. */
export type FaultBody = OperationInput<'put-fault'>['body'];

/** What a misfortune needs: faults, or another start of the clock. */
export interface Blow {
  readonly faults: readonly FaultBody[];
  readonly startsAt?: string;
  /** Wall time in milliseconds that the misfortune adds to a story. */
  readonly delayMs?: number;
}

export interface Misfortune {
  readonly family: Family;
  readonly id: string;
  readonly label: string;
  /** Misfortunes with a low rank are tried first: they find more. */
  readonly rank: number;
  /** @returns undefined when the site cannot have it */
  readonly at: (site: PlannedSite, beginning: Beginning) => Blow | undefined;
}

/** The start of the baseline. */
export interface Beginning {
  readonly startsAt: string;
  /** Whether the kept world of a snapshot decides the start. */
  readonly isFixed: boolean;
  /** Whether the estate plays the story, and expects its events. */
  readonly hasStory: boolean;
}

type CallFault = Extract<FaultBody['fault'], { kind: 'outage' | 'status' | 'drop' | 'lost-response' | 'latency' }>;

/** Strikes one call of a client. */
const oneCall = ({ api, before }: CallSite): Pick<FaultBody, 'match' | 'skip' | 'times'> => ({
  match: { api: api.id, caller: 'outside' },
  ...(before > 0 && { skip: before }),
  times: 1,
});

const onCall =
  (
    fault: CallFault,
    { onlyChanges = false, delayMs }: { readonly onlyChanges?: boolean; readonly delayMs?: number } = {},
  ): Misfortune['at'] =>
  (site) =>
    site.kind === 'call' && (site.changes || !onlyChanges) ? { faults: [{ ...oneCall(site), fault }], delayMs } : undefined;

/** Longer than the gateway waits for an application. */
const SLOW_MS = 16_000;

/** Only the first call of an API: a client handles each of its answers alike. */
const slow: Misfortune['at'] = (site, beginning) =>
  site.kind === 'call' && site.place === 1
    ? onCall({ kind: 'latency', ms: SLOW_MS }, { onlyChanges: true, delayMs: SLOW_MS })(site, beginning)
    : undefined;

/** A query without a whole answer is a query without an answer, so its first call is enough. */
const halfAnswer: Misfortune['at'] = (site, beginning) =>
  site.kind === 'call' && (site.changes || site.place === 1) ? onCall({ kind: 'lost-response', as: 'half' })(site, beginning) : undefined;

/** A kind that an estate of this version may not have yet. */
const EXPIRED_TOKEN = 'expired-token';

const expiredToken: Misfortune['at'] = (site) =>
  site.kind === 'call' && (faultKinds.call as readonly string[]).includes(EXPIRED_TOKEN)
    ? { faults: [{ ...oneCall(site), fault: { kind: EXPIRED_TOKEN } as unknown as CallFault }] }
    : undefined;

const CALLS: readonly Misfortune[] = [
  { family: 'credentials', id: EXPIRED_TOKEN, label: 'The access token has expired.', rank: 3, at: expiredToken },
  { family: 'lost-answers', id: 'lost-504', label: 'The answer is lost (504).', rank: 1, at: onCall({ kind: 'lost-response' }) },
  {
    family: 'lost-answers',
    id: 'lost-reset',
    label: 'The connection breaks after the work is done (502).',
    rank: 5,
    at: onCall({ kind: 'lost-response', as: 'reset' }, { onlyChanges: true }),
  },
  {
    family: 'lost-answers',
    id: 'lost-half',
    label: 'The connection breaks after half of the answer.',
    rank: 4,
    at: halfAnswer,
  },
  { family: 'absent', id: 'outage', label: 'The application is absent (503 with Retry-After).', rank: 2, at: onCall({ kind: 'outage' }) },
  {
    family: 'absent',
    id: 'status-503',
    label: 'The application is overloaded (503).',
    rank: 7,
    at: onCall({ kind: 'status', status: 503 }),
  },
  { family: 'absent', id: 'status-500', label: 'The application fails (500).', rank: 6, at: onCall({ kind: 'status', status: 500 }) },
  {
    family: 'absent',
    id: 'status-429',
    label: 'There were too many requests (429).',
    rank: 6,
    at: onCall({ kind: 'status', status: 429 }),
  },
  { family: 'absent', id: 'refused', label: 'The connection is refused (502).', rank: 7, at: onCall({ kind: 'drop' }) },
  { family: 'absent', id: 'slow', label: 'The answer is slower than the gateway waits.', rank: 9, at: slow },
];

/** Strikes one delivery to a registered webhook. Others on the bus get the original event. */
const oneDelivery = ({ webhook, before }: DeliverySite): Pick<FaultBody, 'match' | 'skip' | 'times'> => ({
  match: { webhook },
  ...(before > 0 && { skip: before }),
  times: 1,
});

type DeliveryFault = Extract<FaultBody['fault'], { kind: 'duplicate' | 'late' | 'reorder' | 'bad-signature' | 'stale-timestamp' }>;

const onDelivery =
  (fault: DeliveryFault, onlyFirst = false): Misfortune['at'] =>
  (site) =>
    site.kind === 'delivery' && (site.place === 1 || !onlyFirst) ? { faults: [{ ...oneDelivery(site), fault }] } : undefined;

/** An event without a successor would only be late. It waits for its successor however long that takes. */
const afterSuccessor: Misfortune['at'] = (site, beginning) =>
  site.kind === 'delivery' && site.hasSuccessor ? onDelivery({ kind: 'reorder', within: 'P365D' })(site, beginning) : undefined;

const DELIVERIES: readonly Misfortune[] = [
  { family: 'delivery', id: 'twice', label: 'The event arrives twice.', rank: 1, at: onDelivery({ kind: 'duplicate' }) },
  { family: 'delivery', id: 'reorder', label: 'The event arrives after its successor.', rank: 2, at: afterSuccessor },
  { family: 'delivery', id: 'late', label: 'The event is ten minutes late.', rank: 5, at: onDelivery({ kind: 'late', by: 'PT10M' }) },
  { family: 'delivery', id: 'day-late', label: 'The event arrives a day later.', rank: 6, at: onDelivery({ kind: 'late', by: 'P1D' }) },
  {
    family: 'forged',
    id: 'bad-signature',
    label: 'The signature is foreign. The receiver must refuse it.',
    rank: 2,
    at: onDelivery({ kind: 'bad-signature' }, true),
  },
  {
    family: 'forged',
    id: 'stale-timestamp',
    label: 'The timestamp is old. The receiver must refuse it.',
    rank: 2,
    at: onDelivery({ kind: 'stale-timestamp' }, true),
  },
];

/** A provider that changes its answers changes all of them, so the site is the first call of the API. */
function changedCall(kind: 'permitted' | 'forbidden', change: PermittedChange | ForbiddenChange): Misfortune['at'] {
  return (site) => {
    if (site.kind !== 'call' || site.place !== 1 || !changesOf({ api: site.api.id }).includes(change)) return undefined;
    const match = { api: site.api.id, caller: 'outside' } as const;
    const { before, untilStory } = site;
    // Answers to calls of the story stay unchanged.
    const own = untilStory === undefined ? {} : { ...(before > 0 && { skip: before }), times: untilStory };
    const fault = { match, fault: { kind, change }, ...own } as FaultBody;
    // The header needs a refusal that has it.
    if (change === 'retry-after-date') return { faults: [fault, { ...oneCall(site), fault: { kind: 'outage' } }] };
    return { faults: [fault] };
  };
}

function changedDelivery(kind: 'permitted' | 'forbidden', change: PermittedChange | ForbiddenChange): Misfortune['at'] {
  return (site, { hasStory }) => {
    if (site.kind !== 'delivery') return undefined;
    const { event, webhook, place, isLast } = site;
    if (place !== 1 || (hasStory && OF_THE_BUS.includes(change))) return undefined;
    const fault = { kind, change } as FaultBody['fault'];
    if (change === 'missing-event') return { faults: [{ match: { event }, fault, times: 1 }] };
    // It needs another object after it.
    if (change === 'objects-swapped') return isLast ? undefined : { faults: [{ match: { event }, fault, times: 1 }] };
    const isOfEvent = change === 'broken-json' || changesOf({ event }).includes(change);
    return isOfEvent && changesOf({ webhook }).includes(change) ? { faults: [{ ...oneDelivery(site), fault }] } : undefined;
  };
}

/** Changes that every consumer gets, the story too. */
const OF_THE_BUS: readonly string[] = ['missing-event', 'objects-swapped'];

const changes = (kind: 'permitted' | 'forbidden', names: readonly (PermittedChange | ForbiddenChange)[]): readonly Misfortune[] =>
  names.map((change): Misfortune => {
    const [ofCall, ofDelivery] = [changedCall(kind, change), changedDelivery(kind, change)];
    return {
      family: kind,
      id: change,
      label: allChanges[change].effect,
      rank: FIRST_CHANGES.includes(change) ? 3 : 4,
      at: (site, beginning) => ofCall(site, beginning) ?? ofDelivery(site, beginning),
    };
  });

const FIRST_CHANGES: readonly string[] = [
  'unknown-member',
  'open-value',
  'smallest-page',
  'timestamp-form',
  'html-body',
  'wrong-minor-units',
];

/** Starts on another date at the same time of day, so that a story fits into its day as before; before midnight it does not. */
const CALENDAR: readonly (readonly [id: string, label: string, date: string, time?: string])[] = [
  ['before-midnight', 'The story begins a quarter of an hour before midnight.', '', '23:45:00'],
  ['end-of-month', 'The story begins on the last evening of a month.', '2026-04-30', '23:45:00'],
  ['leap-day', 'The story begins on 29 February.', '2028-02-29'],
  ['summer-time', 'The clocks go forward during the story.', '2026-03-29', '00:45:00'],
  ['winter-time', 'The clocks go back during the story.', '2026-10-25', '00:45:00'],
  ['sunday', 'The story begins on a Sunday.', '2026-03-08'],
  ['end-of-year', 'The story begins on the last evening of a year.', '2026-12-31', '23:45:00'],
];

const calendar = CALENDAR.map(
  ([id, label, date, time]): Misfortune => ({
    family: 'calendar',
    id,
    label,
    rank: id === 'before-midnight' ? 3 : 5,
    at: (site, { startsAt, isFixed }) => {
      if (site.kind !== 'start' || isFixed) return undefined;
      const instant = new Date(startsAt).toISOString();
      const start = `${date || instant.slice(0, 10)}T${time ?? instant.slice(11, 19)}Z`;
      return { faults: [], startsAt: start };
    },
  }),
);

/** All misfortunes, by family. A new kind of fault is one more row. */
export const misfortunes: readonly Misfortune[] = [
  ...CALLS,
  ...DELIVERIES,
  ...changes('permitted', PERMITTED),
  ...changes('forbidden', FORBIDDEN),
  ...calendar,
];
