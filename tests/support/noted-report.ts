import type { Report } from '../../rehearsal/stage.ts';

/** Reports nothing. */
export const noReport: Report = { begin() {}, step() {}, note() {}, invariants() {}, end() {} };

/** The report of a scenario, kept for a test. Its last entry is `passed` or the reason of the failure. */
export function notedReport(): { readonly noted: readonly string[]; readonly report: Report } {
  const noted: string[] = [];
  const report: Report = {
    begin: () => {},
    step: ({ title, status }) => noted.push(`${status} ${title}`),
    note: (text) => noted.push(text),
    invariants: (results) => noted.push(`${results.length} invariants`),
    end: (_scenario, failure) => noted.push(failure ?? 'passed'),
  };
  return { noted, report };
}
