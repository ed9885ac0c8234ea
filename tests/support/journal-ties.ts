import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readJournal } from '../../shared/catalog/control/operations/journal.ts';

type Hop = ControlOutput<typeof readJournal>['items'][number];

/**
 * Finds violations in a complete journal: each hop must have a unique id, each parent must be a hop, and each call must name a hop
 * whose parent is the caller.
 */
export function brokenTies(hops: readonly Hop[]): readonly string[] {
  const byId = Map.groupBy(hops, ({ requestId }) => requestId);
  return hops.flatMap(({ requestId, parentId, api, calls }) => [
    ...(byId.get(requestId)?.length === 1 ? [] : [`${requestId} (${api}) is the id of several hops`]),
    ...(parentId === undefined || byId.has(parentId) ? [] : [`the parent ${parentId} of ${requestId} (${api}) is missing`]),
    ...calls.flatMap((call) => {
      const callee = byId.get(call)?.[0];
      if (!callee) return [`the call ${call} of ${requestId} (${api}) is missing`];
      return callee.parentId === requestId ? [] : [`the parent of ${call} is ${callee.parentId}, and ${requestId} (${api}) lists it`];
    }),
  ]);
}
