import type { Report } from '../../rehearsal/runner.ts';
import { showInvariants } from '../output/invariants.ts';
import type { Look } from '../output/look.ts';

/** Prints each step with its application, API, status, time and events. */
export function detailReport(look: Look, write: (text: string) => void): Report {
  const { style } = look;
  return {
    begin: ({ name, title }, rehearsal) => write(`\n${style('bold', title)}  ${style('dim', `${name}, in ${rehearsal}`)}\n`),
    step: ({ title, application, api, status, ms, events }) => {
      const shown = style(status < 300 ? 'green' : 'yellow', String(status));
      const where = style('dim', `${application}, ${api}, ${ms} ms`);
      const isWide = (look.columns ?? 120) >= 110;
      write(isWide ? `  ${shown} ${title.padEnd(48)} ${where}\n` : `  ${shown} ${title}\n      ${where}\n`);
      if (events.length > 0) write(`      ${style('dim', '→')} ${events.join(', ')}\n`);
    },
    note: (text) => write(`      ${style('dim', '·')} ${text}\n`),
    invariants: (invariants) => write(`${showInvariants({ settled: true, waitingFor: [], invariants }, look).replaceAll(/^/gm, '  ')}\n`),
    end: (_scenario, failure) =>
      write(failure === undefined ? `  ${style('green', 'passed')}\n` : `  ${style('red', 'failed')} ${failure}\n`),
  };
}
