import { redactJson, redactText, redactUrl } from '../domain/redaction.ts';
import { instant, type Ms } from '../domain/time.ts';
import type { World } from '../domain/world.ts';
import { withoutFailing } from '../process/harmless.ts';
import type { Logger } from '../process/logger.ts';
import type { JournalWriter } from '../store/ports/journal.ts';
import { ANONYMOUS } from './context.ts';

/** One hop: a call that an application answered, or a request that the gateway refused itself. Secrets are left out. */
export interface JournalRecord {
  readonly requestId: string;
  readonly parentId?: string | undefined;
  readonly correlationId: string;
  readonly application: string;
  /** Id of the API; `event:<name>` and `due:<kind>` for consumed events and due work. */
  readonly api: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The rehearsal's clock. */
  readonly at: string;
  /** Wall time. */
  readonly durationMs: number;
  /** Request ids of the calls that this hop made. */
  readonly calls: readonly string[];
  /** Names of the faults that struck. */
  readonly faults: readonly string[];
  readonly request?: unknown;
  readonly response?: unknown;
  /** A part of the record was too large and is cut. */
  readonly truncated?: true;
}

/** A hop as it happened. */
export interface Hop extends Pick<JournalRecord, 'application' | 'api' | 'method' | 'path' | 'status'> {
  readonly ids: Pick<JournalRecord, 'requestId' | 'parentId' | 'correlationId'>;
  readonly world: World;
  readonly now: Ms;
  /** The caller. Absent for work that the estate does by itself. */
  readonly principal?: string | undefined;
  /** Wall time. */
  readonly ms: number;
  readonly calls?: readonly string[];
  readonly faults?: readonly string[];
  /** As it was parsed. */
  readonly request?: unknown;
  /** As it was sent. */
  readonly response?: string | undefined;
}

/** Size of a body above which it is cut, in bytes. */
export const BODY_LIMIT = 16_384;
const PATH_LIMIT = 2_048;
const LIST_LIMIT = 500;

export interface Journal {
  readonly simulation: JournalWriter;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Puts a hop on record: redacted, and no larger than a record may be. It never throws: no request fails because it cannot be told,
 * but the log says that a record is missing.
 */
export function journalHop({ simulation, log }: Journal, hop: Hop): void {
  const { requestId, correlationId } = hop.ids;
  withoutFailing(log, 'keeping a journal record', () => {
    const anonymous = hop.principal === ANONYMOUS ? { anonymous: true as const } : {};
    simulation.journal(hop.world, { requestId, correlationId, json: recordOf(hop), ...anonymous });
  });
}

function recordOf({ ids, application, api, method, path, status, now, ms, calls = [], faults = [], request, response }: Hop): string {
  const asked = bodyOf(() => (request === undefined ? undefined : JSON.stringify(request)));
  const answered = bodyOf(() => response);
  const truncated =
    asked.truncated || answered.truncated || path.length > PATH_LIMIT || calls.length > LIST_LIMIT || faults.length > LIST_LIMIT;
  const record: JournalRecord = {
    requestId: ids.requestId,
    parentId: ids.parentId,
    correlationId: ids.correlationId,
    application,
    api,
    method,
    path: redactUrl(path).slice(0, PATH_LIMIT),
    status,
    at: instant(now),
    durationMs: Math.round(ms * 100) / 100,
    calls: calls.slice(0, LIST_LIMIT),
    faults: faults.slice(0, LIST_LIMIT).map(redactText),
    request: asked.body,
    response: answered.body,
    ...(truncated && { truncated }),
  };
  return JSON.stringify(record);
}

interface Body {
  readonly body?: unknown;
  readonly truncated: boolean;
}

function bodyOf(read: () => string | undefined): Body {
  try {
    const json = read();
    if (json === undefined || json === '') return { truncated: false };
    // Redaction comes first: it would not recognise a secret that is cut in two.
    const redacted = redactJson(json);
    const bytes = Buffer.byteLength(redacted);
    if (bytes <= BODY_LIMIT) return { body: parsed(redacted), truncated: false };
    return { body: { truncated: true, bytes, start: startOf(redacted) }, truncated: true };
  } catch {
    return { body: { truncated: true }, truncated: true };
  }
}

/** The first bytes of a text, without a character that is cut in two. */
const startOf = (text: string): string =>
  Buffer.from(text)
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
