import { BASICS, DRIVERS } from './basics.ts';
import { DUE_ITEMS } from './due-items.ts';
import { EVENT_INDEX } from './events.ts';
import { JOURNAL } from './journal.ts';
import { CLAIM_RECORDS } from './requests.ts';
import { RUNS } from './runs.ts';
import { TRACES } from './traces.ts';

interface Declaration {
  readonly source: string;
  /** The names that it declares. */
  readonly names: readonly string[];
}

const declarations = [BASICS, DUE_ITEMS, DRIVERS, CLAIM_RECORDS, EVENT_INDEX, JOURNAL, TRACES, RUNS].flatMap(declarationsOf);

/** A declaration begins with `local` at the beginning of a line, and ends where the next one begins. */
function declarationsOf(source: string): Declaration[] {
  return withoutComments(source)
    .split(/^(?=local )/m)
    .flatMap((text) => {
      const [, named = ''] = /^local (?:function )?([\w, ]+)/.exec(text) ?? [];
      return named === '' ? [] : [{ source: text.trimEnd(), names: named.split(',').map((name) => name.trim()) }];
    });
}

/** The source of a script: its body after the declarations that it uses, and those that they use. Redis executes all of it at every call. */
export function scriptOf(body: string): string {
  let script = withoutComments(body).trimStart();
  for (const { source, names } of declarations.toReversed()) {
    if (names.some((name) => new RegExp(`\\b${name}\\b`).test(script))) script = `${source}\n${script}`;
  }
  return script;
}

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(--.*)?\n/gm, '');
}
