import { expect, test } from '@jest/globals';
import { streamWords } from '../../command-line/events/stream.ts';
import { examplesOf } from '../../command-line/help.ts';
import { operationCommands } from '../../command-line/operations/commands.ts';
import { operationsByWords } from '../../command-line/operations/operation-commands.ts';
import { createProgram, everyCommand } from '../../command-line/program.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { nearestWord, unknownWord } from '../../shared/domain/nearest-word.ts';

const commands = everyCommand(createProgram());
const pathOf = (command: (typeof commands)[number]): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
const leaves = commands.filter(({ commands: below }) => below.length === 0).map((command) => [pathOf(command), command] as const);

test('The command line has a command for every operation of the control plane, and none for an unknown one', () => {
  const known = Object.keys(controlOperations).toSorted();
  expect([...Object.keys(operationCommands), ...Object.keys(streamWords)].toSorted()).toEqual(known);
  const reached = [...operationsByWords().values()].flat().map(({ id }) => id);
  expect([...new Set<string>([...reached, ...Object.keys(streamWords)])].toSorted()).toEqual(known);
});

test.each([...operationsByWords().keys(), ...Object.values(streamWords)])('The command line offers %s', (words) =>
  expect(leaves.map(([path]) => path)).toContain(words),
);

test.each(leaves)('The command line has for %s an example, a description, described options and the option --json', (path, command) => {
  expect(examplesOf(command).length).toBeGreaterThan(0);
  for (const example of examplesOf(command)) expect(example).toMatch(new RegExp(`^${path}\\b`));
  expect(command.options.map(({ long }) => long)).toContain('--json');
  expect(command.description()).toMatch(/^[A-Z].*\.$|: source/);
  expect(command.options.filter(({ description }) => description.replace(/\(.*\)$/s, '').trim() === '')).toEqual([]);
});

test('The command line describes each group of commands', () => {
  const groups = commands.filter(({ parent, commands: below }) => parent?.parent === null && below.length > 0);
  expect(groups.filter((group) => group.description() === '').map((group) => group.name())).toEqual([]);
});

test('The sentences in the help of each command fit a terminal of 60 columns', () => {
  const tooLong = everyCommand(createProgram()).flatMap((command) =>
    command
      .configureOutput({ getOutHelpWidth: () => 60 })
      .helpInformation()
      .split('\n')
      .filter((line) => line.length > 60 && !line.startsWith('Usage: ') && line.trim().includes(' ')),
  );
  expect(tooLong).toEqual([]);
});

const words = ['order-created', 'order-confirmed', 'oms', 'split-tender'];

test.each([
  ['order-confrmed', 'order-confirmed'],
  ['osm', 'oms'],
  ['splittender', 'split-tender'],
  ['confirmed', 'order-confirmed'],
  ['xylophone', undefined],
  ['order-crearted', 'order-created'],
  ['order-confirmde', 'order-confirmed'],
])('The nearest word of %s is %s', (given, expected) => expect(nearestWord(given, words)).toBe(expected));

test('The nearest word of a long text is not looked for', () => {
  const long = 'x'.repeat(100);
  expect([nearestWord(long, [`${long}x`]), nearestWord(`${long}x`, [long])]).toEqual([`${long}x`, undefined]);
  expect(unknownWord('event', 'x'.repeat(900_000), words)).toBe(`There is no event ${long}…; choose one of ${words.join(', ')}.`);
});
