import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readJournal } from '../../shared/catalog/control/operations/journal.ts';

type Hop = ControlOutput<typeof readJournal>['items'][number];

/**
 * What does not fit together in a whole journal: each hop has a unique id, each parent is a hop, and each call names a hop of
 * which the caller is the parent.
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
