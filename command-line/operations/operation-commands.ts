import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { type CalledId, controlOperations } from '../../shared/catalog/control/operations.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { type Member, membersOf } from '../../shared/contract/members.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { ask } from '../connection/ask.ts';
import { type Connection, withConnection } from '../connection/connection.ts';
import { EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { showAnswer } from '../output/show-answer.ts';
import { lookOf } from '../output/table.ts';
import { operationCommands } from './commands.ts';
import { nameOf, optionOf, parserOf } from './member-option.ts';
import type { OperationCommand } from './operation-command.ts';
import { type Content, type Given, presetBody, put } from './presets.ts';

/** One way to perform an operation: its arguments and options. */
interface Variant {
  readonly id: CalledId;
  readonly declaration: OperationCommand;
  readonly summary: string;
  /** The parameters of the path, then the declared ones. */
  readonly positions: readonly Position[];
  /** Values that options give, by the option's name. */
  readonly members: ReadonlyMap<string, Member>;
}

interface Position {
  readonly name: string;
  readonly required: boolean;
  readonly in: 'path' | 'content' | 'rehearsal' | 'file';
  readonly member: Member;
}

const sectionOf = ({ method }: ControlOperation): 'query' | 'body' => (method === 'GET' || method === 'DELETE' ? 'query' : 'body');

function variantOf(id: CalledId, declaration: OperationCommand): Variant {
  const operation: ControlOperation = controlOperations[id];
  const section = declaration.file === undefined ? sectionOf(operation) : 'query';
  const all = membersOf(section === 'query' ? operation.query : operation.request);
  const asText = (name: string): Member => ({ path: [name], schema: { type: 'string' }, required: true, inRequiredPart: true });
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']): Position => ({ name, required: true, in: 'path', member: asText(name) }))
    .filter(({ name }) => declaration.inPath?.[name] === undefined);
  const file = declaration.file === undefined ? [] : [fileNamed(declaration.file)];
  const declared = (declaration.positional ?? []).map((name): Position => {
    if (name === 'rehearsal') return { name, required: false, in: 'rehearsal', member: asText(name) };
    const member = all.find(({ path }) => path.join('.') === name);
    if (member === undefined) throw new Error(`${id} has no value ${name}.`);
    return { name, required: member.required, in: 'content', member };
  });
  const taken = new Set([...(declaration.positional ?? []), ...Object.keys(declaration.fixed ?? {})]);
  const members = all.filter(({ path }) => !taken.has(path.join('.'))).map((member) => [nameOf(member, declaration), member] as const);
  return {
    id,
    declaration,
    summary: declaration.summary ?? operation.summary,
    positions: [...file, ...inPath, ...declared],
    members: new Map(members),
  };
}

const fileNamed = (name: string): Position => ({
  name,
  required: true,
  in: 'file',
  member: { path: [name], schema: { type: 'object', description: 'File with JSON.' }, required: true, inRequiredPart: true },
});

export function operationsByWords(): ReadonlyMap<string, readonly Variant[]> {
  const variants = Object.entries(operationCommands).flatMap(([id, declared]) =>
    [declared].flat().map((declaration) => variantOf(id as CalledId, declaration as OperationCommand)),
  );
  return Map.groupBy(variants, ({ declaration }) => declaration.words);
}

export function operationCommand(words: string, variants: readonly Variant[]): Command {
  const [fewest, ...others] = variants.toSorted((a, b) => a.positions.length - b.positions.length);
  if (fewest === undefined) throw new Error(`No operation has the words ${words}.`);
  const most = others.at(-1) ?? fewest;
  const summary = variants.find(({ declaration }) => declaration.summary !== undefined)?.summary ?? most.summary;
  const command = new Command(words.split(' ').at(-1)).description(summary);
  for (const [index, { name, required, member }] of most.positions.entries()) {
    const isRequired = required && (others.length === 0 || index < fewest.positions.length);
    const description = most.declaration.arguments?.[name] ?? member.schema.description;
    const argument = new Argument(isRequired ? `<${name}>` : `[${name}]`, description);
    command.addArgument(argument.argParser(parserOf(member, most.declaration)));
  }
  const offered = new Map(
    variants.flatMap(({ members, declaration }) => [...members].map(([name, member]) => [name, { member, declaration }])),
  );
  for (const { member, declaration } of offered.values()) {
    const option = optionOf(member, declaration);
    command.addOption(declaration.presets ? option.makeOptionMandatory(false) : option);
  }
  for (const { declaration } of variants) if (declaration.diagrams) command.addOption(diagramOption(Object.keys(declaration.diagrams)));
  withConnection(command);
  const examples = variants.flatMap(({ declaration: { words, example = '' } }) =>
    [example].flat().map((rest) => `${words} ${rest}`.trimEnd()),
  );
  withExample(command, ...examples);
  return command.action(async (...input: unknown[]) => {
    const values = input.slice(0, most.positions.length).filter((value) => value !== undefined);
    const chosen = variants
      .toSorted((a, b) => b.positions.length - a.positions.length)
      .find(({ positions }) => isEnough(positions, values));
    await perform(chosen ?? fewest, values, command);
  });
}

const isEnough = (positions: readonly Position[], values: readonly unknown[]): boolean =>
  positions.filter(({ required }) => required).length <= values.length && values.length <= positions.length;

async function perform({ id, declaration, positions, members }: Variant, values: readonly unknown[], command: Command): Promise<void> {
  const options = command.opts<Connection & Record<string, unknown>>();
  const given = positions.flatMap((position, index) => (values[index] === undefined ? [] : [{ ...position, value: values[index] }]));
  for (const { in: place, value } of given) if (place === 'path') refuseSlash(String(value), declaration.words);
  const chosen = chosenOptions(command, members);
  const content: Content = declaration.presets
    ? presetBody(declaration.presets, {
        name: String(values[0]),
        given: chosen,
        members,
        hints: declaration,
        request: controlOperations[id].request,
      })
    : { ...declaration.unlessGiven, ...declaration.fixed };
  for (const { in: place, member, value } of given) if (place === 'content') put(content, member.path, value);
  for (const { member, value } of chosen) put(content, member.path, value);
  // Send a required part even when it is empty, so that the estate reports its missing members.
  for (const { path, inRequiredPart } of members.values()) {
    if (path[0] !== undefined && path.length > 1 && inRequiredPart) content[path[0]] ??= {};
  }
  const rehearsal = given.find((position) => position.in === 'rehearsal')?.value ?? options.rehearsal;
  const output = await ask(
    id,
    { ...options, rehearsal: String(rehearsal) },
    {
      params: {
        ...declaration.inPath,
        ...Object.fromEntries(given.filter((position) => position.in === 'path').map(({ name, value }) => [name, String(value)])),
      },
      ...(declaration.file === undefined
        ? { [sectionOf(controlOperations[id])]: content }
        : { query: content, body: given.find((position) => position.in === 'file')?.value }),
      places: placesOf(positions, members),
    },
  );
  const draw = declaration.diagrams?.[String(options['diagram'])];
  if (draw) print(await draw(output as never));
  else if (options.json) printJson(output, 2);
  else print(`${await showAnswer(output, declaration, lookOf(process.stdout))}\n`);
  if (declaration.holds?.(output as never) === false) process.exitCode = EXIT.fails;
}

/** @throws CommandFailure for an argument with a slash: no id and no name has one */
function refuseSlash(value: string, words: string): void {
  const [type, id] = value.split('/');
  if (type === undefined || id === undefined) return;
  const isPair = words === 'why' && value === `${type}/${id}` && objects.some((one) => one.type === type);
  const remedy = isPair ? `Write type and id apart: estate ${words} ${type} ${id}.` : 'Write the id or the name alone.';
  throw misuse(`"${value}" has a "/", which no id and no name has. ${remedy}`);
}

/** @throws CommandFailure for an option that needs another number of arguments */
const chosenOptions = (command: Command, members: Variant['members']): readonly Given[] =>
  command.options.flatMap((option) => {
    const name = option.long?.replace('--', '') ?? '';
    const member = members.get(name);
    const value = command.getOptionValue(option.attributeName()) as unknown;
    if (value === undefined || (member === undefined && isConnection(option.attributeName()))) return [];
    if (member === undefined) throw misuse(`${option.long} needs another argument; see --help.`);
    return [{ option: name, member, value }];
  });

/** Options that do not belong to an operation. */
const isConnection = (name: string): boolean => ['against', 'rehearsal', 'admin', 'json', 'diagram'].includes(name);

const diagramOption = (kinds: readonly string[]): Option =>
  new Option('--diagram <kind>', `Print a sequence diagram instead, as ${kinds.join(' or ')}.`).argParser((kind: string) => {
    if (!kinds.includes(kind)) throw new InvalidArgumentError(unknownWord('diagram', kind, kinds));
    return kind;
  });

const placesOf = (positions: readonly Position[], members: Variant['members']): Record<string, string> => ({
  ...Object.fromEntries(positions.map(({ name, member }) => [`/${member.path.join('/')}`, name])),
  ...Object.fromEntries([...members].map(([name, { path }]) => [`/${path.join('/')}`, `--${name}`])),
});
