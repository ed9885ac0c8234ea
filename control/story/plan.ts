import { FaultInput, takesAccessToken } from '../../shared/catalog/control/faults.ts';
import { type Breathe, breathing, eachBreathing } from '../../shared/domain/breathe.ts';
import { CENSOR } from '../../shared/domain/censor.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { type ClientCall, type Deed, deedsOf } from './deeds.ts';
import { createExpectations, type Expectation } from './expectations.ts';
import { titleOf } from './names.ts';
import type { OperationRecord } from './record-operation.ts';
import type { RecordedEvent, Recording } from './recording.ts';
import { createReferences, isRecord, type Reference, type Source, visit } from './references.ts';
import { CARD_BY_HAND, ORDINARY_CARD, pathParts, type Reading, readValue, type Value } from './values.ts';

/** A call as the story writes it. */
export interface PlannedCall {
  /** Its place among all calls; references name it. */
  readonly number: number;
  readonly call: ClientCall;
  readonly title: string;
  readonly path: readonly (string | Reference)[];
  readonly body: Value | undefined;
  readonly headers: readonly (readonly [name: string, value: Value])[];
  readonly expectations: readonly Expectation[];
  /** Whether it needs an access token, because a fault makes access tokens expire. */
  readonly byToken: boolean;
  /** Whether it only reads, and its answer shows nothing new. */
  readonly isIdle: boolean;
}

/** An event whose object the story reads. */
export interface PlannedEvent {
  readonly order: number;
  readonly name: string;
  /** Its place among the events of its type; undefined: the newest. */
  readonly place: number | undefined;
  readonly object: unknown;
}

export interface ExpectedEvent {
  readonly name: string;
  readonly subject: readonly (string | Reference)[] | undefined;
}

/** A part of the story. */
export type Part =
  | { readonly is: 'step'; readonly planned: PlannedCall }
  | { readonly is: 'together'; readonly planned: readonly PlannedCall[] }
  | {
      readonly is: 'operation';
      readonly operation: OperationRecord;
      readonly params: Readonly<Record<string, Value>>;
      readonly body: Value;
      readonly events: readonly ExpectedEvent[];
    }
  | { readonly is: 'event'; readonly event: PlannedEvent }
  /** Time that passed on a flowing clock, in seconds. */
  | { readonly is: 'pause'; readonly seconds: number };

/** The shortest pause that the story repeats, in seconds of the rehearsal's clock. Shorter ones come from the speed of the client. */
const SHORTEST_PAUSE_S = 10;
const MOST_EXPECTED_EVENTS = 6;

/** The parts of the story of a recording, in order, with the sources that references name. */
export async function planOf(
  recording: Recording,
  breathe: Breathe,
): Promise<{ readonly parts: readonly Part[]; readonly used: ReadonlyMap<string, readonly Reference[]> }> {
  const deeds = withoutPolling(await deedsOf(recording, breathe));
  const references = createReferences(recording.seed);
  const expect = createExpectations();
  const idempotencyKeys = countKeys(deeds);
  const lastReads = new Map<string, ClientCall>();
  for (const deed of deeds) if (deed.is === 'call' && isRead(deed.call)) lastReads.set(deed.call.path, deed.call);
  const tokenFaults = createTokenFaults(deeds);
  const requested = new Set<string>();
  const used = new Map<string, Reference[]>();
  const parts: Part[] = [];
  let calls = 0;
  let card = ORDINARY_CARD;
  let clock: number | undefined;

  const use = (reference: Reference): void => {
    const key = keyOf(reference.source);
    const references = used.get(key);
    if (references) references.push(reference);
    else used.set(key, [reference]);
  };

  /** How values of a deed are read. For an id that only events have, the story gets a part that reads the event. */
  function readingAt(at: number, beforeOrder: number): Reading {
    const ofEvent = (text: string): Reference | undefined => {
      const event = firstEvents.get(text);
      if (!event || event.order > beforeOrder) return undefined;
      const source: Source = { is: 'event', order: event.order };
      parts.push({ is: 'event', event: plannedEvent(recording, event, beforeOrder) });
      references.add(source, event.object);
      return references.ofText(text);
    };
    return { references, ofEvent, at, card };
  }

  function plan(call: ClientCall, given: Reading): PlannedCall {
    const reading = refusesToken(call) ? { ...given, card: CENSOR } : given;
    const path = pathParts(call.path, reading);
    const body = isRecord(call.request) && Object.keys(call.request).length === 0 ? undefined : call.request;
    const value = body === undefined ? undefined : readValue(body, reading);
    const headers = Object.entries(call.headers).flatMap(([name, text]) =>
      headerOf(name, text, { call, idempotencyKeys, reading, references }),
    );
    const request = `${call.api.id} ${call.path} ${JSON.stringify(call.request)}`;
    const isAgain = requested.has(request);
    requested.add(request);
    const isLast = lastReads.get(call.path) === call;
    const expectations = expect(call, isLast);
    const isIdle = isRead(call) && call.status < 300 && (expectations.length === 0 || (!isLast && isSeeded(recording, call) && !isAgain));
    references.addRequest([call.path.split(/[/?&=]/), call.request, Object.values(call.headers)]);
    const title = titleIn(call, isAgain);
    const byToken = tokenFaults.strike(call);
    return { number: calls++, call, byToken, title, path, body: value, headers, expectations, isIdle };
  }

  function note(planned: PlannedCall): void {
    for (const reference of referencesIn(planned)) use(reference);
    const { number, call } = planned;
    if (call.status < 300) references.add({ is: 'answer', call: number }, call.response);
  }

  function pauseUntil(at: number): void {
    const seconds = Math.round((at - (clock ?? at)) / 1_000);
    if (seconds >= SHORTEST_PAUSE_S) parts.push({ is: 'pause', seconds });
    clock = Math.max(at, clock ?? at);
  }

  const firstEvents = await firstEventsOf(recording, breathe);
  const ordersBefore = await ordersBeforeOf(recording, deeds, breathe);
  for await (const [place, deed] of breathing(deeds.entries(), breathe)) {
    const before = ordersBefore[place] ?? 0;
    if (deed.is === 'operation') {
      const { operation, events } = deed;
      pauseUntil(operation.at);
      if (operation.id === 'set-clock') continue;
      tokenFaults.note(operation);
      if (operation.id === 'change-payment-token-by-hand' && operation.params['id'] === CENSOR) card = CARD_BY_HAND;
      const reading = readingAt(operation.at, before);
      const params = Object.fromEntries(Object.entries(operation.params).map(([name, text]) => [name, readValue(text, reading, 'token')]));
      const body = readValue(operation.body ?? {}, reading);
      references.addRequest([operation.params, operation.body]);
      for (const value of [...Object.values(params), body]) for (const reference of referencesOf(value)) use(reference);
      const expected = chainOf(events).map(({ name, subject }): ExpectedEvent => {
        const about = pathParts(subject, { ...reading, ofEvent: () => undefined });
        const isKnown = about.some((part) => typeof part !== 'string') || !/_[0-9A-Z]{26}$/.test(subject);
        return { name, subject: isKnown ? about : undefined };
      });
      const known = expected.filter(({ subject }) => subject !== undefined).slice(0, MOST_EXPECTED_EVENTS);
      for (const { subject = [] } of known) for (const part of subject) if (typeof part !== 'string') use(part);
      parts.push({ is: 'operation', operation, params, body, events: known });
      if (operation.id === 'advance-clock') clock = operation.at + advancedBy(operation);
      continue;
    }
    const all = deed.is === 'call' ? [deed.call] : deed.calls;
    pauseUntil(all[0]?.at ?? 0);
    const reading = readingAt(all[0]?.at ?? 0, before);
    // A client with several connections may overlap all its calls.
    const planned = await eachBreathing(all, breathe, (call) => plan(call, reading));
    for await (const one of breathing(planned, breathe)) note(one);
    const [only] = planned;
    if (deed.is === 'call' && only) parts.push({ is: 'step', planned: only });
    else parts.push({ is: 'together', planned });
  }
  return { parts: parts.filter((part) => !isUnneeded(part, used)), used };
}

/**
 * The faults that make access tokens expire. The journal does not show which calls had an access token. A call that such a fault struck had
 * one, and so had probably the calls that the fault let pass.
 */
function createTokenFaults(deeds: readonly Deed[]) {
  const all = deeds.flatMap((deed) => (deed.is === 'call' ? [deed.call] : deed.is === 'together' ? deed.calls : []));
  const struck = new Set(all.flatMap(({ faults }) => faults));
  const set = new Map<string, Pick<FaultInput, 'match' | 'skip' | 'probability'>>();
  return {
    note({ id, params, body }: OperationRecord): void {
      const { name = '' } = params;
      if (id === 'delete-faults') set.clear();
      if (id === 'delete-fault' || id === 'put-fault') set.delete(name);
      const fault = id === 'put-fault' && struck.has(name) ? FaultInput.safeParse(body).data : undefined;
      if (fault?.fault.kind === 'expired-token') set.set(name, fault);
    },
    strike: ({ api, faults }: ClientCall): boolean =>
      [...set].some(([name, { match, skip = 0, probability = 1 }]) => {
        const mayPass = skip > 0 || probability < 1;
        const isTarget = match.api === undefined ? match.application === api.application : match.api === api.id;
        return faults.includes(name) || (mayPass && isTarget && takesAccessToken(api));
      }),
  };
}

export const keyOf = (source: Source): string => (source.is === 'answer' ? `answer ${source.call}` : `event ${source.order}`);

const isUnneeded = (part: Part, used: ReadonlyMap<string, unknown>): boolean =>
  part.is === 'step' && part.planned.isIdle && !used.has(keyOf({ is: 'answer', call: part.planned.number }));

/** Whether the token itself was refused, such as the number of a card. The estate refuses the censor in its place in the same way. */
const refusesToken = ({ status, response }: ClientCall): boolean =>
  status === 422 &&
  isRecord(response) &&
  Array.isArray(response['errors']) &&
  response['errors'].some((error) => isRecord(error) && String(error['pointer']).endsWith('/token'));

const isRead = ({ api }: ClientCall): boolean => api.method === 'GET';

/** Whether an answer is about data that the rehearsal began with. */
const isSeeded = ({ seed }: Recording, { response }: ClientCall): boolean =>
  !isRecord(response) || typeof response['id'] !== 'string' || seed.includes(JSON.stringify(response['id']));

/** Reads of the same address in a row, without a change between them, are one read: the last. */
function withoutPolling(deeds: readonly Deed[]): readonly Deed[] {
  const kept: Deed[] = [];
  const readLater = new Set<string>();
  for (const deed of deeds.toReversed()) {
    if (deed.is !== 'call' || !isRead(deed.call)) readLater.clear();
    else if (readLater.has(deed.call.path)) continue;
    else readLater.add(deed.call.path);
    kept.push(deed);
  }
  return kept.reverse();
}

/** For each deed, the order of the last event that can be read before it. */
function ordersBeforeOf({ events }: Recording, deeds: readonly Deed[], breathe: Breathe): Promise<readonly number[]> {
  return eachBreathing(deeds, breathe, (deed) => {
    if (deed.is === 'operation') return deed.operation.afterEvent;
    const at = deed.is === 'call' ? deed.call.at : (deed.calls[0]?.at ?? 0);
    return events.findLast((event) => event.at <= at)?.order ?? 0;
  });
}

function plannedEvent({ events }: Recording, { order, name, object }: RecordedEvent, beforeOrder: number): PlannedEvent {
  const ofType = events.filter((event) => event.name === name && event.order <= beforeOrder);
  const place = ofType.findIndex((event) => event.order === order);
  return { order, name, object, place: place === ofType.length - 1 ? undefined : place };
}

/** The first event whose object has a text, by the text. */
async function firstEventsOf({ events }: Recording, breathe: Breathe): Promise<ReadonlyMap<string, RecordedEvent>> {
  const first = new Map<string, RecordedEvent>();
  for await (const event of breathing(events, breathe)) {
    visit(event.object, [], (value) => typeof value === 'string' && !first.has(value) && first.set(value, event));
  }
  return first;
}

function countKeys(deeds: readonly Deed[]): ReadonlyMap<string, number> {
  const calls = deeds.flatMap((deed) => (deed.is === 'call' ? [deed.call] : deed.is === 'together' ? deed.calls : []));
  return new Map([...Map.groupBy(calls, ({ headers }) => headers['idempotency-key'] ?? '')].map(([key, { length }]) => [key, length]));
}

interface HeaderReading {
  readonly call: ClientCall;
  readonly idempotencyKeys: ReadonlyMap<string, number>;
  readonly reading: Reading;
  readonly references: { readonly ofVersion: (id: string, version: number) => Reference | undefined };
}

/** A header of a step. The key of a single request is left out: it does not change the effect. The id of a webhook is an argument. */
function headerOf(
  name: string,
  text: string,
  { call, idempotencyKeys, reading, references }: HeaderReading,
): readonly (readonly [string, Value])[] {
  if (name === 'webhook-id') return [];
  if (name === 'idempotency-key' && (idempotencyKeys.get(text) ?? 0) < 2) return [];
  const version = name === 'if-match' ? /^"(\d+)"$/.exec(text)?.[1] : undefined;
  const id = version === undefined ? undefined : call.path.split(/[/?]/).find((part) => references.ofVersion(part, Number(version)));
  const reference = id === undefined ? undefined : references.ofVersion(id, Number(version));
  if (reference) return [[name, { is: 'text', parts: ['"', reference, '"'] }]];
  return [[name, readValue(text, reading)]];
}

const OUTCOMES: Readonly<Record<number, string>> = { 404: 'not found', 504: 'no answer in time' };

function titleIn(call: ClientCall, isAgain: boolean): string {
  const { api, status, request } = call;
  const title = `${api.auth === 'signature' ? reportOf(request) : titleOf(api)}${isAgain && !isRead(call) ? ' again' : ''}${statusSuffix(request)}`;
  if (status < 400) return title;
  return `${title}: ${OUTCOMES[status] ?? 'refused'}`;
}

/** The title of a step that sends a webhook of the carrier. */
const reportOf = (request: unknown): string =>
  `The carrier reports ${isRecord(request) && isRecord(request['data']) ? String(request['data']['status']) : 'a scan'}`;

/** `: picked`, for a request that names a status. */
const statusSuffix = (request: unknown): string =>
  isRecord(request) && typeof request['status'] === 'string' ? `: ${request['status']}` : '';

function referencesOf(value: Value): readonly Reference[] {
  switch (value.is) {
    case 'reference':
      return [value.reference];
    case 'text':
      return value.parts.filter((part) => typeof part !== 'string');
    case 'object':
      return value.members.flatMap(([, member]) => referencesOf(member));
    case 'list':
      return value.items.flatMap(referencesOf);
    default:
      return [];
  }
}

const referencesIn = ({ path, body, headers }: PlannedCall): readonly Reference[] => [
  ...path.filter((part) => typeof part !== 'string'),
  ...(body ? referencesOf(body) : []),
  ...headers.flatMap(([, value]) => referencesOf(value)),
];

/** Events whose order is certain: each is later than the one before on the rehearsal's clock, or about the same object. */
function chainOf(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const chain: RecordedEvent[] = [];
  for (const event of events) {
    const last = chain.at(-1);
    if (!last || event.at > last.at || event.subject === last.subject) chain.push(event);
  }
  return chain;
}

/** How far an operation advances the clock, in milliseconds of the rehearsal's clock. */
export function advancedBy({ at, body }: OperationRecord): number {
  const { by, to } = isRecord(body) ? body : {};
  return typeof by === 'string' ? durationMs(by) : Date.parse(String(to)) - at;
}
