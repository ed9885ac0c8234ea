import type { Command } from 'commander';

const examples = new WeakMap<Command, readonly string[]>();

/** Adds examples to the help of a command. Tests run them. */
export function withExample(command: Command, ...lines: readonly string[]): Command {
  examples.set(command, [...new Set(lines)]);
  const examplesInLines = (): string =>
    examplesOf(command)
      .map((line) => `  estate ${line}\n`)
      .join('');
  return command.addHelpText('after', () => `\nExample:\n${examplesInLines()}`);
}

export const examplesOf = (command: Command): readonly string[] => examples.get(command) ?? [];
