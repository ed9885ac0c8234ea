import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { completePaymentAction } from '../../shared/catalog/payment/internal.ts';
import type { JournalRecord } from '../../shared/control/journal.ts';
import type { Arrow } from '../../shared/control/sequence.ts';
import { type Breathe, breathing, eachBreathing } from '../../shared/domain/breathe.ts';
import type { OperationRecord } from './record-operation.ts';
import type { RecordedEvent, Recording } from './recording.ts';
import { isRecord } from './references.ts';

export interface ClientCall {
  readonly api: ApiDefinition;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: unknown;
  /** 0: the client left before the answer. */
  readonly status: number;
  readonly response: unknown;
  /** Epoch milliseconds of the rehearsal's clock. */
  readonly at: number;
  /** Names of the faults that struck it. */
  readonly faults: readonly string[];
  /** Whether an application reported that it repeated an earlier answer or changed nothing. */
  readonly isRepeat: boolean;
  /** Whether no delivery of an earlier event was pending when it began. A scenario begins each step at rest. */
  readonly isAtRest: boolean;
  /** The events that followed before the next operation, in order. */
  readonly events: readonly RecordedEvent[];
}

/** Something that a person or a client did. */
export type Deed =
  | { readonly is: 'call'; readonly call: ClientCall }
  /** Calls that overlapped. */
  | { readonly is: 'together'; readonly calls: readonly ClientCall[] }
  | { readonly is: 'operation'; readonly operation: OperationRecord; readonly events: readonly RecordedEvent[] };

type Hop = JournalRecord;

/** A hop of a client, and when its call ran in wall time. */
interface Begun {
  readonly hop: Hop;
  readonly start: number;
  readonly end: number;
}

/** The deeds in their order. Calls that did not overlap are sorted by their start. */
export async function deedsOf(recording: Recording, breathe: Breathe): Promise<readonly Deed[]> {
  const begun = await clientHops(recording.arrows, breathe);
  const operations = [...recording.operations, ...pageOperations(recording)].toSorted((one, other) => one.afterHop - other.afterHop);
  const eventsOf = eventsByCause(recording, begun);
  const overlap = overlapping(barriersOf(recording));
  const isAtRest = restOf(recording);
  const deeds: Deed[] = [];
  let group: Begun[] = [];

  async function endGroup(next: OperationRecord | undefined): Promise<void> {
    const calls = await eachBreathing(group, breathe, (one) => ({
      ...callOf(one.hop, eventsBefore(next, eventsOf.get(one.hop.correlationId) ?? [])),
      isAtRest: isAtRest(one, next),
    }));
    const [only] = calls;
    if (only !== undefined) deeds.push(calls.length === 1 ? { is: 'call', call: only } : { is: 'together', calls });
    group = [];
  }

  const waiting = [...operations];
  for await (const one of breathing(begun, breathe)) {
    while (waiting[0] && one.hop.sequence > waiting[0].afterHop && !group.some((other) => overlap(other, one))) {
      const operation = waiting.shift() as OperationRecord;
      await endGroup(operation);
      deeds.push({ is: 'operation', operation, events: eventsDuring(recording, operation, waiting[0]) });
    }
    if (group.length > 0 && !group.some((other) => overlap(other, one))) await endGroup(waiting[0]);
    group.push(one);
  }
  await endGroup(waiting[0]);
  for await (const [place, operation] of breathing(waiting.entries(), breathe))
    deeds.push({ is: 'operation', operation, events: eventsDuring(recording, operation, waiting[place + 1]) });
  return deeds;
}

/** Wall time in ms. Starts are rounded to a millisecond, so a shorter overlap may come from rounding. */
const SHORTEST_OVERLAP = 2;

/** Names of the faults that make calls wait for each other. */
const barriersOf = ({ operations }: Recording): ReadonlySet<string> =>
  new Set(operations.flatMap(({ id, params, body }) => (id === 'put-fault' && kindOf(body) === 'barrier' ? [String(params['name'])] : [])));

const kindOf = (body: unknown): unknown => (isRecord(body) && isRecord(body['fault']) ? body['fault']['kind'] : undefined);

const overlapping =
  (barriers: ReadonlySet<string>) =>
  (one: Begun, other: Begun): boolean =>
    Math.min(one.end, other.end) - Math.max(one.start, other.start) >= SHORTEST_OVERLAP ||
    one.hop.faults.some((fault) => barriers.has(fault) && other.hop.faults.includes(fault));

/** The calls of clients. A refusal of the gateway after the hop of an application is merged into that hop. */
function clientHops(arrows: readonly Arrow<Hop>[], breathe: Breathe): Promise<readonly Begun[]> {
  const roots = arrows.filter(({ hop, kind, caller }) => isCallable(hop.api) && (kind === 'request' || (kind === 'webhook' && !caller)));
  const byId = new Map(roots.map(({ hop }) => [hop.requestId, hop]));
  const calls = roots.filter(({ hop }) => !hop.requestId.endsWith(FROM_GATEWAY) || !byId.has(hop.requestId.slice(0, -FROM_GATEWAY.length)));
  return eachBreathing(calls, breathe, ({ hop, start }) => {
    const refusal = byId.get(`${hop.requestId}${FROM_GATEWAY}`);
    const end = Math.max(start + hop.durationMs, refusal ? Date.parse(refusal.startedAt) + refusal.durationMs : 0);
    return { hop: refusal ? { ...hop, status: refusal.status, response: refusal.response } : hop, start, end };
  });
}

const FROM_GATEWAY = '.gateway';
const isCallable = (api: string): api is keyof typeof apis => Object.hasOwn(apis, api);

/** The events of each correlation id. */
function eventsByCause({ events }: Recording, begun: readonly Begun[]): ReadonlyMap<string, readonly RecordedEvent[]> {
  const calls = Map.groupBy(begun, ({ hop }) => hop.correlationId);
  return Map.groupBy(
    // A correlation id of several calls does not identify the cause of an event.
    events.filter(({ correlationId }) => calls.get(correlationId)?.length === 1),
    ({ correlationId }) => correlationId,
  );
}

/** Work that was due before an advance runs at its beginning, within this time of the rehearsal's clock. */
const LATE_MS = 1_000;

const until = (events: readonly RecordedEvent[], next: OperationRecord | undefined): readonly RecordedEvent[] =>
  events.filter(
    ({ order, at }) => next === undefined || order <= next.afterEvent || (next.id === 'advance-clock' && at <= next.at + LATE_MS),
  );

/** Operations that can cause events of an earlier call: they release what is withheld, or begin a step that was manual. */
const RELEASING: ReadonlySet<string> = new Set(['advance-clock', 'delete-fault', 'delete-faults', 'put-fault', 'set-progression']);

/**
 * The events of a call before the next operation. None if that operation began before the call's events had ended: a scenario waits for
 * all of them after each step.
 */
function eventsBefore(next: OperationRecord | undefined, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const before = until(events, next);
  if (next === undefined || RELEASING.has(next.id)) return before;
  return events.slice(before.length).some(({ at }) => at <= next.at + LATE_MS) ? [] : before;
}

/** The events that an operation or the clock caused, before the next operation. */
function eventsDuring(
  { events, arrows }: Recording,
  operation: OperationRecord,
  next: OperationRecord | undefined,
): readonly RecordedEvent[] {
  const isAdvance = operation.id === 'advance-clock';
  const begunLater = new Set(
    arrows.flatMap(({ hop, kind }) => (kind === 'request' && hop.sequence > operation.afterHop ? [hop.correlationId] : [])),
  );
  return until(events, next).filter(
    ({ order, at, correlationId }) =>
      order > operation.afterEvent &&
      (isAdvance ? at > operation.at + LATE_MS && !begunLater.has(correlationId) : correlationId === operation.correlationId),
  );
}

/** What customers did on the payment page. It calls the Payment Hub as the outside world, without an operation of the control plane. */
function pageOperations({ arrows, operations, events }: Recording): readonly OperationRecord[] {
  const recorded = new Set(operations.map(({ correlationId }) => correlationId));
  return arrows.flatMap(({ hop }) =>
    hop.api !== completePaymentAction.id || hop.status >= 300 || recorded.has(hop.correlationId)
      ? []
      : [
          {
            id: 'complete-payment-action-by-hand',
            params: { id: hop.path.split('/').at(-2) ?? '' },
            body: { outcome: isRecord(hop.request) ? hop.request['outcome'] : undefined },
            correlationId: hop.correlationId,
            at: Date.parse(hop.at),
            afterHop: hop.sequence - 1,
            afterEvent: (events.find(({ correlationId }) => correlationId === hop.correlationId)?.order ?? 1) - 1,
          },
        ],
  );
}

/**
 * Whether every earlier event was delivered when a call began. Deliveries that end after the next operation wait for it: a fault
 * withholds their events.
 */
function restOf({ arrows }: Recording): (call: Begun, next: OperationRecord | undefined) => boolean {
  const places = new Map(arrows.map(({ hop }) => [hop.requestId, hop.sequence]));
  const deliveries = arrows.filter(({ kind }) => kind === 'event');
  return ({ hop: call, start }, next) =>
    !deliveries.some(
      ({ hop, start: from }) =>
        (hop.sequence > call.sequence || from + hop.durationMs >= start + SHORTEST_OVERLAP) &&
        (places.get(hop.parentId ?? '') ?? Number.POSITIVE_INFINITY) < call.sequence &&
        (next === undefined || hop.sequence <= next.afterHop),
    );
}

const callOf = (hop: Hop, events: readonly RecordedEvent[]): Omit<ClientCall, 'isAtRest'> => ({
  api: apis[hop.api as keyof typeof apis],
  path: hop.path,
  headers: hop.headers ?? {},
  request: hop.request,
  status: hop.status,
  response: hop.response,
  at: Date.parse(hop.at),
  faults: hop.faults,
  isRepeat: hop.unchanged !== undefined,
  events,
});
