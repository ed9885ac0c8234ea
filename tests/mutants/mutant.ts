/**
 * A small defect, as a careless change makes it. It is a pair of exact texts and not a patch: a patch stops applying when lines
 * near it change, a text only when the line itself changes.
 */
export interface Mutant {
  /** The defect as a sentence. */
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** Test files of `npm test`. Each must have a failed test. */
  readonly killedBy: readonly [string, ...string[]];
}

/** @returns the reason why a mutant does not apply, with the remedy; undefined when it applies */
export function refuseText({ name, file, from }: Mutant, text: string | undefined): string | undefined {
  const where = `The mutant "${name}"`;
  if (text === undefined) return `${where} changes ${file}, which does not exist. Name the file that has the code now.`;
  const count = text.split(from).length - 1;
  if (count === 1) return undefined;
  return `${where} does not apply: its \`from\` occurs ${count} times in ${file}. Change it so that it occurs once.`;
}
