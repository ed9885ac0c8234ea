import type { Command } from 'commander';
import { createProgram, everyCommand } from '../command-line/program.ts';
import { table } from '../shared/contract/tables/markdown.ts';

/** Every command with its arguments, in a sentence. `--help` has the rest. */
export function commandReference(): string {
  const commands = everyCommand(createProgram()).filter(({ commands: below }) => below.length === 0);
  return table(
    ['Command', 'What'],
    commands.map((command) => [`\`${wordsOf(command)}\``, firstSentence(command.description()).replaceAll('|', '\\|')]),
  );
}

const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;

function wordsOf(command: Command): string {
  const path = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const taken = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}${one.variadic ? '…' : ''}]`,
  );
  return `${path}${taken.join('')}`;
}
