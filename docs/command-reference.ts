import type { Command } from 'commander';
import { operationsByWords } from '../command-line/operations/operation-commands.ts';
import { createProgram, everyCommand } from '../command-line/program.ts';
import { code, firstSentence, list } from '../shared/contract/tables/markdown.ts';

const operations = operationsByWords();

/** The commands of the program, in a sentence, and those that run one operation by their operation. `--help` has the rest. */
export function commandReference(): string {
  const commands = everyCommand(createProgram()).filter(({ commands: below }) => below.length === 0);
  const ours = commands.filter((command) => !operations.has(pathOf(command)));
  const operating = commands.filter((command) => operations.has(pathOf(command)));
  const groups = [...Map.groupBy(operating, (command) => pathOf(command).split(' ')[0] ?? '')];
  return [
    ours.map((command) => `- ${code(wordsOf(command))}: ${firstSentence(command.description())}`).join('\n'),
    'These commands run an operation of the control plane:',
    groups.map(([, of]) => `- ${list(of.map((command) => code(wordsOf(command))))}`).join('\n'),
  ].join('\n\n');
}

const pathOf = (command: Command): string => (command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name());

function wordsOf(command: Command): string {
  const taken = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}${one.variadic ? '…' : ''}]`,
  );
  return `${pathOf(command)}${taken.join('')}`;
}
