import { describe, expect, test } from '@jest/globals';
import { examplesOf } from '../../command-line/help.ts';
import { operationCommands } from '../../command-line/operations/commands.ts';
import { operationsByWords } from '../../command-line/operations/operation-commands.ts';
import { createProgram, everyCommand } from '../../command-line/program.ts';
import { streamWords } from '../../command-line/stream.ts';
import { controlOperations } from '../../shared/catalog/simulation/operations.ts';
import { nearestWord } from '../../shared/domain/nearest-word.ts';

const commands = everyCommand(createProgram());
const pathOf = (command: (typeof commands)[number]): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
const leaves = commands.filter(({ commands: below }) => below.length === 0).map((command) => [pathOf(command), command] as const);

describe('The command line', () => {
  test('has a command for every operation of the simulation plane, and none for an unknown one', () => {
    const known = Object.keys(controlOperations).toSorted();
    expect([...Object.keys(operationCommands), ...Object.keys(streamWords)].toSorted()).toEqual(known);
    const reached = [...operationsByWords().values()].flat().map(({ id }) => id);
    expect([...new Set<string>([...reached, ...Object.keys(streamWords)])].toSorted()).toEqual(known);
  });

  test.each([...operationsByWords().keys(), ...Object.values(streamWords)])('offers %s', (words) => {
    expect(leaves.map(([path]) => path)).toContain(words);
  });

  test.each(leaves)('%s has an example that begins with it, and prints JSON on request', (path, command) => {
    expect(examplesOf(command).length).toBeGreaterThan(0);
    for (const example of examplesOf(command)) expect(example).toMatch(new RegExp(`^${path}\\b`));
    expect(command.options.map(({ long }) => long)).toContain('--json');
    expect(command.description()).toMatch(/^[A-Z].*\.$|: source/);
  });

  test.each(
    commands
      .filter(({ parent, commands: below }) => parent?.parent === null && below.length > 0)
      .map((group) => [group.name(), group] as const),
  )('describes the group %s', (_name, group) => {
    expect(group.description()).not.toBe('');
  });
});

describe('The nearest word', () => {
  const words = ['order-created', 'order-confirmed', 'oms', 'split-tender'];

  test.each([
    ['order-confrmed', 'order-confirmed'],
    ['om', 'oms'],
    ['osm', 'oms'],
    ['splittender', 'split-tender'],
    ['confirmed', 'order-confirmed'],
  ])('of %s is %s', (given, expected) => {
    expect(nearestWord(given, words)).toBe(expected);
  });

  test('of a word that resembles none is none', () => {
    expect(nearestWord('xylophone', words)).toBeUndefined();
  });
});
