import type { Report } from '../../rehearsal/stage.ts';

/** The report of a scenario, kept for a test. Its last entry is `passed` or the reason of the failure. */
export function toldReport(): { readonly told: readonly string[]; readonly report: Report } {
  const told: string[] = [];
  const report: Report = {
    begin: () => {},
    step: ({ title, status }) => told.push(`${status} ${title}`),
    note: (text) => told.push(text),
    invariants: (results) => told.push(`${results.length} invariants`),
    end: (_scenario, failure) => told.push(failure ?? 'passed'),
  };
  return { told, report };
}
