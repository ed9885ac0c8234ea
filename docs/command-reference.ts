import type { Command } from 'commander';
import { examplesOf } from '../command-line/help.ts';
import { createProgram, everyCommand } from '../command-line/program.ts';

/** Options that the page describes once for all commands. */
const COMMON: ReadonlySet<string | undefined> = new Set([
  '--against',
  '--rehearsal',
  '--admin',
  '--bearer',
  '--api-key',
  '--json',
  '--help',
]);

export function commandReference(): string {
  const commands = everyCommand(createProgram()).filter(({ commands: below }) => below.length === 0);
  return commands.map(sectionOf).join('\n\n');
}

function sectionOf(command: Command): string {
  const path = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const taken = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}${one.variadic ? '…' : ''}]`,
  );
  const options = command.options.filter(({ long }) => !COMMON.has(long ?? undefined));
  const rows = options.map(({ flags, description }) => `| \`${flags}\` | ${description.replaceAll('|', '\\|')} |`);
  const parts = [
    `### \`estate ${path}${taken.join('')}\``,
    command.description(),
    ...(rows.length > 0 ? [['| Option | Description |', '|---|---|', ...rows].join('\n')] : []),
    ['```text', ...examplesOf(command).map((line) => `estate ${line}`), '```'].join('\n'),
  ];
  return parts.join('\n\n');
}
