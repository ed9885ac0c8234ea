/** One hop: a call that an application answered, or a request that the gateway refused itself. */
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
}

/** Bodies beyond this many characters are cut. */
export const BODY_LIMIT = 16_384;

/** A body for the journal; credentials never stand in bodies of the catalog's APIs. */
export function journalBody(body: unknown): unknown {
  if (body === undefined) return undefined;
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  if (json === undefined) return undefined;
  if (json.length > BODY_LIMIT) return { cut: true, characters: json.length, start: json.slice(0, BODY_LIMIT) };
  return typeof body === 'string' ? tryParse(body) : body;
}

function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
