/** The parts of an address under `/console`. */
export interface Route {
  /** Undefined on pages of the whole estate. */
  readonly rehearsal: string | undefined;
  /** Decoded segments after the rehearsal, or after `/console`. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

export type QueryChanges = Readonly<Record<string, string | undefined>>;

const BASE = '/console';

export function parseRoute({ pathname, search }: { readonly pathname: string; readonly search: string }): Route {
  const segments = pathname.slice(BASE.length).split('/').filter(Boolean).map(decoded);
  const query = new URLSearchParams(search);
  const [first, rehearsal, ...rest] = segments;
  if (first === 'r' && rehearsal !== undefined) return { rehearsal, segments: rest, query };
  return { rehearsal: undefined, segments, query };
}

const REHEARSAL = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Whether a rehearsal can have this name. No other is sent: not every text can be a header. */
export const isRehearsalName = (text: string): boolean => REHEARSAL.test(text);

/** A link to a page of a rehearsal: `rehearsalLink('default', 'objects', 'order', 'ord_1')`. */
export const rehearsalLink = (rehearsal: string, ...segments: readonly string[]): string => estateLink('r', rehearsal, ...segments);

/** A link to a page of the whole estate: `estateLink('rehearsals')`. */
export const estateLink = (...segments: readonly string[]): string => [BASE, ...segments.map(encodeURIComponent)].join('/');

/** A link with members of the query; undefined and empty ones are left out. */
export function withQuery(path: string, query: QueryChanges): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The query after changes, for `withQuery`. */
export const changedQuery = (query: URLSearchParams, changes: QueryChanges): QueryChanges => ({ ...Object.fromEntries(query), ...changes });

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
