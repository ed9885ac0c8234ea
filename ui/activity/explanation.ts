import type { ListedHop } from '../data/hop.ts';
import { duration } from '../kit/format.ts';
import { requestOf, type TraceRow, type TraceTree } from '../sequence/trace-tree.ts';

/** A part of a sentence: words, stressed words, or the name of a fault. */
export type Part = string | { readonly strong: string } | { readonly fault: string };

export interface Explanation {
  readonly sentence: readonly Part[];
  /** The hop that the sentence is about: the cause of the failure, or the slowest. */
  readonly row: TraceRow | undefined;
}

interface Titles {
  readonly application: (id: string) => string;
  readonly api: (id: string) => string;
}

/** A request below this wall time is not slow. */
const SLOW_MS = 50;
const hasFailed = ({ hop }: TraceRow): boolean => hop.status >= 400;
const faultsOf = ({ faults }: ListedHop): Part[] => faults.flatMap((fault, index) => [index === 0 ? '' : ' and ', { fault }]);

/** Explains in one sentence why the request of a trace failed or was slow, or reports its success. */
export function explain(tree: TraceTree, titles: Titles): Explanation {
  const request = requestOf(tree.rows.slice(0, tree.afterwards));
  const failedLater = tree.rows.slice(tree.afterwards).find(hasFailed);
  const named = (row: TraceRow): string => `${titles.api(row.hop.api)} in ${titles.application(row.hop.application)}`;
  if (request && hasFailed(request)) return explainFailure(tree, request, titles);
  if (failedLater) {
    const struck = failedLater.hop.faults.length > 0 ? [' because ', ...faultsOf(failedLater.hop), ' struck'] : [];
    return {
      row: failedLater,
      sentence: ['Afterwards ', { strong: `${named(failedLater)} failed` }, ` with ${failedLater.hop.status}`, ...struck, '.'],
    };
  }
  if (!request) {
    const [first] = tree.rows;
    return { row: first, sentence: first ? [`Nobody called: time passed. ${named(first)} ran first.`] : ['Nothing is on record.'] };
  }
  return explainTime(tree, request, named, titles);
}

/** Follows the failure from the request down to the call where it began. */
function explainFailure({ rows }: TraceTree, request: TraceRow, titles: Titles): Explanation {
  let cause = request;
  for (let below = failedCall(rows, cause); below; below = failedCall(rows, cause)) cause = below;
  const { hop } = cause;
  const verb = hop.status >= 500 ? 'failed' : 'refused';
  const origin: Part[] = [`${titles.application(hop.application)} `, { strong: `${verb} ${titles.api(hop.api)}` }, ` with ${hop.status}`];
  const why: Part[] = hop.faults.length > 0 ? [', because ', ...faultsOf(hop), ' struck'] : [];
  if (cause === request) return { row: cause, sentence: [...origin, ...why, '.'] };
  return { row: cause, sentence: [`${titles.api(request.hop.api)} answered ${request.hop.status}: `, ...origin, ...why, '.'] };
}

const failedCall = (rows: readonly TraceRow[], { hop }: TraceRow): TraceRow | undefined =>
  rows.findLast((row) => row.parent !== undefined && rows[row.parent]?.hop === hop && hasFailed(row));

function explainTime({ rows, afterwards }: TraceTree, request: TraceRow, named: (row: TraceRow) => string, titles: Titles): Explanation {
  const own = rows.slice(rows.indexOf(request), Math.min(request.last + 1, afterwards));
  const spent = (row: TraceRow): number =>
    row.hop.durationMs -
    own.reduce((sum, { parent, hop }) => (parent !== undefined && rows[parent] === row ? sum + hop.durationMs : sum), 0);
  const struck = own.filter(({ hop }) => hop.faults.length > 0);
  const slowest = (struck.length > 0 ? struck : own).reduce((most, row) => (spent(row) > spent(most) ? row : most));
  const total = duration(request.hop.durationMs);
  const { unchanged } = request.hop;
  if (unchanged !== undefined && struck.length === 0) {
    return { row: request, sentence: [`${titles.api(request.hop.api)} `, { strong: 'changed nothing' }, `: ${unchanged}`] };
  }
  if (struck.length > 0) {
    const where = ` in ${titles.application(slowest.hop.application)}.`;
    if (slowest === request) return { row: slowest, sentence: [`It took ${total}: `, ...faultsOf(slowest.hop), ` struck${where}`] };
    const waited: Part[] = [`${titles.application(slowest.from)} waited `, { strong: duration(slowest.hop.durationMs) }];
    return { row: slowest, sentence: [...waited, ` of ${total} for `, ...faultsOf(slowest.hop), where] };
  }
  if (request.hop.durationMs < SLOW_MS) return { row: slowest, sentence: [`${titles.api(request.hop.api)} succeeded in ${total}.`] };
  return { row: slowest, sentence: [{ strong: duration(Math.max(spent(slowest), 0)) }, ` of ${total} went into ${named(slowest)}.`] };
}
