import type { Command, Option } from 'commander';
import { examplesOf } from '../command-line/help.ts';
import { operationsByWords } from '../command-line/operations/operation-commands.ts';
import { createProgram, everyCommand } from '../command-line/program.ts';
import { list } from '../shared/contract/tables/markdown.ts';

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

const operations = operationsByWords();

export function commandReference(): string {
  const commands = everyCommand(createProgram()).filter(({ commands: below }) => below.length === 0);
  return commands.map(sectionOf).join('\n\n');
}

function sectionOf(command: Command): string {
  const path = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const taken = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}${one.variadic ? '…' : ''}]`,
  );
  const variants = operations.get(path) ?? [];
  const options = command.options.filter(({ long }) => !COMMON.has(long ?? undefined));
  /** The page of the control plane describes a member of an operation. */
  const isMember = ({ long, description }: Option): boolean =>
    variants.some(({ members }) => {
      const known = members.get(long?.replace('--', '') ?? '')?.schema.description;
      return known !== undefined && description.startsWith(known);
    });
  const members = options.filter(isMember).map(({ flags }) => `\`${flags}\``);
  const pages = [...new Set(variants.map(({ id }) => `[${id}](control-plane.md#${id})`))];
  const rows = options
    .filter((option) => !isMember(option))
    .map(({ flags, description }) => `| \`${flags}\` | ${description.replaceAll('|', '\\|')} |`);
  const parts = [
    `### \`estate ${path}${taken.join('')}\``,
    command.description(),
    ...(members.length > 0 ? [`Members of ${list(pages)}: ${members.join(', ')}.`] : []),
    ...(rows.length > 0 ? [['| Option | Description |', '|---|---|', ...rows].join('\n')] : []),
    ['```text', ...examplesOf(command).map((line) => `estate ${line}`), '```'].join('\n'),
  ];
  return parts.join('\n\n');
}
