import type { Report } from '../../rehearsal/runner.ts';

/** What a scenario says while it runs, kept for a test; the last thing is `passed`, or why it did not. */
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
