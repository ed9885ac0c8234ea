import type { Command, Option } from 'commander';

const repeatableOptions = new WeakSet<Option>();

/** Lets an option be repeated: it collects the values of all its texts. */
export function repeatable<T>(option: Option, valuesOf: (text: string) => readonly T[]): Option {
  repeatableOptions.add(option);
  return option.argParser((text, before?: readonly T[]) => [
    ...(before === undefined || before === option.defaultValue ? [] : before),
    ...valuesOf(text),
  ]);
}

/** Refuses other options that are given twice: the parser would keep the last value silently. */
export function refuseRepetitions(command: Command): void {
  for (const option of command.options) {
    if (!option.required || repeatableOptions.has(option)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`${option.long} takes one value, and is given twice; remove one of them.`);
      isGiven = true;
    });
  }
}
