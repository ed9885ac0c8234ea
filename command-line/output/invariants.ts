import { inOneLine } from '../../shared/domain/printable.ts';
import type { Look } from './look.ts';

interface Verification {
  readonly settled: boolean;
  readonly waitingFor: readonly string[];
  readonly invariants: readonly {
    readonly title: string;
    readonly holds: boolean;
    readonly checked: number;
    readonly violations: readonly string[];
  }[];
}

/** The most violations printed. The rest are counted. */
const MOST_VIOLATIONS = 20;

export function showInvariants({ invariants, settled, waitingFor }: Verification, { style }: Look): string {
  const lines = invariants.flatMap(({ title, holds, checked, violations }) => [
    `${holds ? style('green', 'holds ') : style('red', 'BROKEN')}  ${inOneLine(title)} ${style('dim', `(${checked} checks)`)}`,
    ...violations.slice(0, MOST_VIOLATIONS).map((violation) => `        ${inOneLine(violation)}`),
    ...(violations.length > MOST_VIOLATIONS ? [`        and ${violations.length - MOST_VIOLATIONS} more`] : []),
  ]);
  const unrest = settled ? [] : [`${style('red', 'The rehearsal did not come to rest')}; it waits for ${waitingFor.join(', ')}.`];
  return [...lines, ...unrest].join('\n');
}
