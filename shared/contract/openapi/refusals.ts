import { type ProblemCode, problems } from '../../catalog/problems.ts';
import type { Part } from '../json-schemas.ts';
import type { Components } from './components.ts';

/** The refusals of an operation, one response per status. */
export function refusals(codes: readonly ProblemCode[], components: Components): Part {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => problems[code].status);
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, components.responseOf(same)]));
}
