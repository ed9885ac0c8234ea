import type { ForbiddenChange } from '../../shared/catalog/control/drift.ts';
import { valuesIn } from './check.ts';
import type { Difference } from './run.ts';
import { calledApi, type Hop, outsideCalls } from './sites.ts';

/** What shows whether a client could notice a forbidden answer. */
export interface Evidence {
  readonly change: ForbiddenChange;
  readonly isCall: boolean;
  /** Journal of the baseline and of the try, with bodies. */
  readonly baseline: readonly Hop[];
  readonly tried: readonly Hop[];
  /** Request ids of the struck hops. */
  readonly struck: ReadonlySet<string>;
  /** The check of the try, and how it differs. */
  readonly check: string;
  readonly differences: readonly Difference[];
}

/**
 * Why a forbidden answer went unnoticed by a command that ended well; undefined when nothing shows it. A client can notice an answer that
 * is unreadable, or that contradicts what the client got elsewhere. It has noticed it if its check shows both values.
 */
export function unnoticed(evidence: Evidence): string | undefined {
  const { change, isCall } = evidence;
  if (change === 'html-body' || change === 'broken-json') return isCall ? unread(evidence) : undefined;
  if (evidence.differences.length === 0) return undefined;
  const truth = truthOf(evidence);
  if (truth.length === 0) return undefined;
  const shown = valuesIn(evidence.check);
  if (truth.some((value) => shown.has(value))) return undefined;
  return change === 'missing-item' || change === 'missing-event'
    ? 'The command ended well without an object that it had seen before.'
    : `The command ended well and passed a wrong value on, although an earlier answer had the right one (${truth[0]}).`;
}

/** A page in place of an answer: nobody can rely on the call unless a later call about the same object succeeds. */
function unread({ change, tried, struck, differences }: Evidence): string | undefined {
  if (differences.length > 0) return 'The command ended well with an answer that cannot be read, and its check differs.';
  if (change !== 'html-body') return undefined;
  const calls = outsideCalls(tried);
  const hits = calls.filter(({ requestId }) => struck.has(requestId));
  const last = hits.at(-1);
  if (last === undefined || last.method === 'GET' || hits.length > 1) return undefined;
  const later = calls.slice(calls.indexOf(last) + 1);
  const ids = idsIn(last.path, last.request);
  const isRepeated = later.some(({ api, path }) => api === last.api && path === last.path);
  const isConfirmed = later.some(({ path, request, response, status }) => {
    const own = idsIn(path, request, response);
    return status < 300 && [...ids].some((id) => own.has(id));
  });
  return isRepeated || isConfirmed ? undefined : 'The command took a page of HTML for a success, and nothing confirmed it.';
}

const ID = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g;

const idsIn = (...values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => (JSON.stringify(value ?? '') ?? '').match(ID) ?? []));

/** True values that the struck answers hide, and that the client got in other answers. */
function truthOf({ change, baseline, tried, struck }: Evidence): readonly string[] {
  const others = outsideCalls(tried).filter(({ requestId }) => !struck.has(requestId));
  const hits = tried.filter(({ requestId }) => struck.has(requestId));
  if (change === 'missing-event') return [];
  const originals = originalsOf(hits, tried, baseline);
  if (change === 'missing-item') {
    const missing = originals.filter(({ original, got }) => knownIn(original, baseline) > knownIn(got, tried));
    // A check that shows a value of the missing item shows the contradiction.
    return missing.flatMap(({ original }) =>
      leavesOf(original.response)
        .map(({ value }) => value)
        .filter((value) => Number(value) >= 100),
    );
  }
  const known = new Set(
    others.flatMap(({ request, response }) =>
      leavesOf(request)
        .concat(leavesOf(response))
        .map(({ value }) => value),
    ),
  );
  const changed = originals.flatMap(({ original, got }) => changedLeaves(contentOf(original), contentOf(got)));
  const values = change === 'previous-state' ? changed.filter(({ path }) => path.endsWith('.state')) : changed;
  return values.map(({ value }) => value).filter((value) => known.has(value));
}

interface Pair {
  readonly original: Hop;
  readonly got: Hop;
}

/** The struck hops beside the hops of the baseline at their place among calls of the API. */
function originalsOf(hits: readonly Hop[], tried: readonly Hop[], baseline: readonly Hop[]): readonly Pair[] {
  return hits.flatMap((got): readonly Pair[] => {
    const alike = (journal: readonly Hop[]): readonly Hop[] =>
      calledApi(got) ? outsideCalls(journal).filter(({ api }) => api === got.api) : journal.filter(({ api }) => api === got.api);
    const original = alike(baseline)[alike(tried).findIndex(({ requestId }) => requestId === got.requestId)];
    return original === undefined ? [] : [{ original, got }];
  });
}

/** A webhook is the request of its hop. */
const contentOf = (hop: Hop): unknown => (calledApi(hop) ? hop.response : hop.request);

/** Number of objects in an answer that the client had got from an earlier answer. */
function knownIn(hop: Hop, journal: readonly Hop[]): number {
  const calls = outsideCalls(journal);
  const place = calls.findIndex(({ requestId }) => requestId === hop.requestId);
  const known = idsIn(...calls.slice(0, place).map(({ response }) => response));
  return [...idsIn(hop.response)].filter((id) => known.has(id)).length;
}

interface Leaf {
  readonly path: string;
  readonly value: string;
}

function leavesOf(value: unknown, path = ''): readonly Leaf[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([member, inner]) => leavesOf(inner, `${path}.${member}`));
  return value === undefined ? [] : [{ path, value: String(value) }];
}

/** The original values of members that changed. Small numbers are everywhere, so they prove nothing. */
function changedLeaves(original: unknown, got: unknown): readonly Leaf[] {
  const now = new Map(leavesOf(got).map(({ path, value }) => [path, value]));
  return leavesOf(original).filter(
    ({ path, value }) =>
      now.has(path) && now.get(path) !== value && !/_[0-9A-Z]{26}$/.test(value) && (!/^\d+$/.test(value) || Number(value) >= 100),
  );
}
