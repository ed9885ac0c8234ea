import type { HopFacts } from './ports/journal.ts';

export const isFailed = ({ status }: Pick<HopFacts, 'status'>): boolean => status === 0 || status >= 400;

/** Who called: an application or `client`. Undefined for deliveries and due work, which have no caller. */
export function callerOf({ kind, caller }: Pick<HopFacts, 'kind' | 'caller'>): string | undefined {
  if (kind === 'delivery' || kind === 'due') return undefined;
  return caller ?? 'client';
}
