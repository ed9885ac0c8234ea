import { styleText } from 'node:util';
import type { Report } from './runner.ts';

/** Prints a run for a person: each step with application, API, status, time and the events that followed. */
export function terminalReport(write: (text: string) => void): Report {
  const dim = (text: string): string => styleText('dim', text);
  return {
    begin: ({ name, title }, rehearsal) => write(`\n${styleText('bold', title)}  ${dim(`${name}, in ${rehearsal}`)}\n`),
    step: ({ title, application, api, status, ms, events }) => {
      const colour = status < 300 ? 'green' : 'yellow';
      write(`  ${styleText(colour, String(status))} ${title.padEnd(44)} ${application.padEnd(19)} ${dim(`${api}, ${ms} ms`)}\n`);
      if (events.length > 0) write(`      ${dim('→')} ${events.join(', ')}\n`);
    },
    note: (text) => write(`      ${dim('·')} ${text}\n`),
    invariants: (results) => {
      for (const { title, holds, checked, violations } of results) {
        write(`  ${holds ? styleText('green', 'holds ') : styleText('red', 'BROKEN')} ${title} ${dim(`(${checked} checks)`)}\n`);
        for (const violation of violations.slice(0, 20)) write(`         ${violation}\n`);
      }
    },
    end: (_scenario, failure) =>
      write(failure === undefined ? `  ${styleText('green', 'passed')}\n` : `  ${styleText('red', 'failed')} ${failure}\n`),
  };
}
