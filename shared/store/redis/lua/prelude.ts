import { BASICS } from './basics.ts';
import { CLAIM_RECORDS } from './claim-records.ts';
import { DRIVERS } from './drivers.ts';
import { DUE_ITEMS } from './due-items.ts';

interface Declaration {
  readonly source: string;
  /** The names that it declares. */
  readonly names: readonly string[];
}

const declarations = [BASICS, DUE_ITEMS, DRIVERS, CLAIM_RECORDS].flatMap(declarationsOf);

/** A declaration begins with `local` at the beginning of a line, and goes on to the next one. */
function declarationsOf(source: string): Declaration[] {
  const code = source.replaceAll(/^\s*--.*\n/gm, '');
  return code.split(/^(?=local )/m).flatMap((text) => {
    const [, named = ''] = /^local (?:function )?([\w, ]+)/.exec(text) ?? [];
    return named === '' ? [] : [{ source: text.trimEnd(), names: named.split(',').map((name) => name.trim()) }];
  });
}

/** The beginning of a script: the declarations that it uses, and those that they use. Redis executes all of it at every call. */
export function preludeFor(body: string): string {
  let script = body;
  for (const { source, names } of declarations.toReversed()) {
    if (names.some((name) => new RegExp(`\\b${name}\\b`).test(script))) script = `${source}\n${script}`;
  }
  return script.slice(0, script.length - body.length);
}
