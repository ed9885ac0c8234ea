import { apis } from '../catalog/apis.ts';
import { applicationNames } from '../catalog/applications.ts';
import { mayCall } from '../catalog/flows.ts';
import { MOST_REDACTED, redactedJsonStart, redactedStartOf, redactJson, redactText, redactUrl } from '../domain/redaction.ts';
import { instant, type Ms } from '../domain/time.ts';
import type { World } from '../domain/world.ts';
import { withoutFailing } from '../process/harmless.ts';
import type { Logger } from '../process/logger.ts';
import type { HopFacts, JournalEntry, JournalWriter, RecordedHop } from '../store/ports/journal.ts';
import { ANONYMOUS } from './context.ts';

/** One hop: a call, an event or due work that an application handled, or a request that the gateway refused. Secrets are left out. */
export interface JournalRecord {
  readonly requestId: string;
  readonly parentId?: string;
  readonly correlationId: string;
  /** Position in the journal. Hops are sorted by completion. */
  readonly sequence: number;
  readonly application: string;
  /** Id of the API; `event:<name>` and `due:<kind>` for consumed events and due work. */
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Wall time. */
  readonly startedAt: string;
  /** The rehearsal's clock. */
  readonly at: string;
  /** Wall time. */
  readonly durationMs: number;
  /** Request ids of the calls that this hop made. */
  readonly calls: string[];
  /** Names of the faults that struck. */
  readonly faults: string[];
  /** Why it changed nothing. */
  readonly unchanged?: string;
  /** Pointers to members of a webhook that the estate does not have. */
  readonly ignored?: string[];
  /** Headers of a client's request that change its effect, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer of the real system that replaces the application. */
  readonly outside?: OutsideAnswer;
  readonly request?: unknown;
  readonly response?: unknown;
  /** Whether a part of the record was too large and is cut. */
  readonly truncated?: true;
}

/** The answer of a real system. */
interface OutsideAnswer {
  /** 0: no answer. */
  readonly status: number;
  /** Wall time. */
  readonly durationMs: number;
  /** Name of the rule that the answer breaks. */
  readonly violation?: string | undefined;
}

/** A hop as it happened. */
export interface Hop extends Pick<JournalRecord, 'application' | 'api' | 'method' | 'path' | 'status'> {
  readonly ids: Pick<JournalRecord, 'requestId' | 'parentId' | 'correlationId'>;
  readonly world: World;
  readonly now: Ms;
  /** The credential. Absent for work without a caller. */
  readonly principal?: string;
  /** The application that made the call. */
  readonly caller?: string;
  /** When the hop began, as `performance.now()`. */
  readonly started: number;
  readonly calls?: readonly string[];
  readonly faults?: readonly string[];
  readonly unchanged?: string;
  readonly ignored?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly outside?: OutsideAnswer;
  /** The body of the request, as it was parsed. */
  readonly request?: unknown;
  /** The text that was parsed. */
  readonly requestText?: string;
  /** The body of the answer, as it was sent. */
  readonly response?: string;
}

/** Methods in the journal for work without an HTTP request. */
export const CONSUME = 'CONSUME';
export const DUE = 'DUE';

/** Begins the `api` of an attempt at a registered webhook: its name follows. */
export const WEBHOOK = 'webhook:';

/** Size of a body above which it is cut, in bytes. */
export const BODY_LIMIT = 16_384;
const PATH_LIMIT = 2_048;
const HEADER_LIMIT = 512;
const LIST_LIMIT = 500;

/** Records a hop, redacted and cut. Never throws: no request fails because of its record; a missing record is logged. */
export function journalHop({ control, log }: { readonly control: JournalWriter; readonly log: Pick<Logger, 'error'> }, hop: Hop): void {
  withoutFailing(log, 'keeping a journal record', () => control.journal(hop.world, entryOf(hop)));
}

function entryOf({
  ids,
  application,
  api,
  method,
  status,
  now,
  principal,
  started,
  request,
  requestText,
  response,
  caller = signers.get(api),
  ...hop
}: Hop): JournalEntry {
  const { requestId, parentId, correlationId } = ids;
  const { path, calls = [], faults = [], unchanged, ignored, headers, outside } = hop;
  const durationMs = Math.round((performance.now() - started) * 100) / 100;
  const startedAt = Math.round(Date.now() - durationMs);
  const asked = cutBody(request, requestText) ?? bodyOf(() => textOf(request, requestText), request);
  const answered = bodyOf(() => response);
  const truncated =
    asked.truncated || answered.truncated || path.length > PATH_LIMIT || calls.length > LIST_LIMIT || faults.length > LIST_LIMIT;
  const shown = { application, api, method, path: redactUrl(path).slice(0, PATH_LIMIT), status, durationMs };
  const struck = faults.slice(0, LIST_LIMIT).map(redactText);
  const head: Omit<JournalRecord, 'sequence' | 'request' | 'response'> = {
    requestId,
    parentId,
    correlationId,
    ...shown,
    startedAt: instant(startedAt),
    at: instant(now),
    calls: calls.slice(0, LIST_LIMIT),
    faults: struck,
    unchanged: unchanged === undefined ? undefined : redactText(unchanged),
    ignored: ignored?.map(redactText),
    headers: headers && shownHeaders(headers),
    outside,
    truncated: truncated || undefined,
  };
  const bodies = [...memberOf('request', asked), ...memberOf('response', answered)];
  return {
    requestId,
    correlationId,
    head: JSON.stringify(head),
    bodies: bodies.length > 0 ? `{${bodies.join(',')}}` : undefined,
    facts: { kind: kindOf(method, api, parentId), ...shown, caller, startedAt, at: now, faults: struck },
    anonymous: principal === ANONYMOUS || undefined,
  };
}

/**
 * Turns a hop that was read from one journal into an entry for another one.
 * @param applicationOf the application of the hop with a request id
 */
export function entryOfHop(
  { head, bodies, anonymous }: Pick<RecordedHop, 'head' | 'bodies' | 'anonymous'>,
  applicationOf: (requestId: string) => string | undefined,
): JournalEntry {
  const { requestId, parentId, correlationId, application, api, method, path, status, durationMs, startedAt, at, faults } = JSON.parse(
    head,
  ) as JournalRecord;
  const caller = parentId === undefined ? signers.get(api) : applicationOf(parentId);
  const kind = kindOf(method, api, parentId);
  const facts = {
    kind,
    application,
    caller,
    api,
    method,
    path,
    status,
    durationMs,
    startedAt: Date.parse(startedAt),
    at: Date.parse(at),
    faults,
  };
  return { requestId, correlationId, head, bodies, anonymous, facts };
}

const shownHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => VISIBLE_ASCII.test(value))
      .map(([name, value]) => [name, redactText(value).slice(0, HEADER_LIMIT)]),
  );

/** Other bytes can stand for several characters, so a story could not send them again. */
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;

/** The applications that send signed requests. Another sender of such a request counts as that application. */
const signers: ReadonlyMap<string, string | undefined> = new Map(
  Object.values(apis).flatMap(({ id, auth }) =>
    auth === 'signature' ? [[id, applicationNames.find((name) => mayCall(name, id))] as const] : [],
  ),
);

/** A signed request arrives from outside, but its caller is a carrier, not a client. */
function kindOf(method: string, api: string, parentId: string | undefined): HopFacts['kind'] {
  if (method === CONSUME) return 'delivery';
  if (method === DUE || api.startsWith(WEBHOOK)) return 'due';
  return parentId === undefined && !signers.has(api) ? 'request' : 'call';
}

export function recordOf({ sequence, head, bodies }: Pick<RecordedHop, 'sequence' | 'head' | 'bodies'>): JournalRecord {
  const stored = JSON.parse(head) as Omit<JournalRecord, 'sequence'>;
  return { ...stored, sequence, ...(bodies !== undefined && bodiesIn(bodies)) };
}

/** One body that cannot be read must not hide the other records. */
function bodiesIn(bodies: string): Pick<JournalRecord, 'request' | 'response' | 'truncated'> {
  try {
    return JSON.parse(bodies) as Pick<JournalRecord, 'request' | 'response'>;
  } catch {
    return { truncated: true };
  }
}

interface Body {
  /** JSON. */
  readonly body?: string;
  readonly truncated: boolean;
}

const memberOf = (name: 'request' | 'response', { body }: Body): readonly string[] => (body === undefined ? [] : [`"${name}":${body}`]);

/** The start of a long request. @returns undefined for a request that the journal may show whole */
function cutBody(request: unknown, text = ''): Body | undefined {
  if (text.length <= MOST_REDACTED) return undefined;
  const start = redactedStartOf(request);
  return start === undefined ? undefined : cut(start, Buffer.byteLength(text));
}

/** @param value the parsed text, if it is at hand */
function bodyOf(read: () => string | undefined, value?: unknown): Body {
  try {
    const json = read();
    if (json === undefined || json === '') return { truncated: false };
    // The part that is cut off is not searched: a body may have a megabyte, and its search would take longer than the request.
    if (json.length > MOST_REDACTED) return cut(redactedJsonStart(json, value), Buffer.byteLength(json));
    // Redaction comes first: it would not recognise a secret that is cut in two.
    const redacted = redactJson(json);
    const bytes = Buffer.byteLength(redacted);
    return bytes <= BODY_LIMIT ? { body: asJson(redacted), truncated: false } : cut(redacted, bytes);
  } catch {
    return { body: '{"truncated":true}', truncated: true };
  }
}

const cut = (redacted: string, bytes: number): Body => ({
  body: JSON.stringify({ truncated: true, bytes, start: startOf(redacted) }),
  truncated: true,
});

/** Answers of the estate are objects and lists in JSON already. Any other text is checked. */
const asJson = (text: string): string => (/^[{[]/.test(text) ? text : JSON.stringify(parsed(text)));

/** Characters of JSON text above which it is parsed: it may exceed the limit only because of white space, which does not count. */
const LARGE = BODY_LIMIT / 4;
/** An escape or an exponent may hide a secret from redaction. */
const HIDING = /\\|[[:,\s]-?\d[\d.]*e/i;

/** The text of a request. The value is serialised again where white space or escapes may change its size or what redaction finds. */
function textOf(request: unknown, text: string | undefined): string | undefined {
  if (request === undefined) return undefined;
  const isPlain = text !== undefined && text.length < LARGE && /^[{[]/.test(text) && !HIDING.test(text);
  return isPlain ? text : JSON.stringify(request);
}

/** The first bytes of a text, without a character that is cut in two. */
const startOf = (text: string): string =>
  Buffer.from(text.slice(0, BODY_LIMIT))
    .subarray(0, BODY_LIMIT)
    .toString()
    .replace(/\uFFFD$/, '');

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
