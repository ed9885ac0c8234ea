import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { areas } from '../mutants/areas.ts';
import { refuseText } from '../mutants/mutant.ts';

const pathOf = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const mutants = Object.values(areas).flat();

test('The list of mutants has at least three mutants for each area and thirty in all, with unique names', () => {
  expect(Object.entries(areas).filter(([, { length }]) => length < 3)).toEqual([]);
  expect(mutants.length).toBeGreaterThanOrEqual(30);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test('The list of mutants has texts that occur once in their file and that the mutant changes', () => {
  const textOf = (file: string): string | undefined => (existsSync(pathOf(file)) ? readFileSync(pathOf(file), 'utf8') : undefined);
  expect(mutants.flatMap((mutant) => refuseText(mutant, textOf(mutant.file)) ?? [])).toEqual([]);
  expect(mutants.filter(({ from, to }) => from === to)).toEqual([]);
});

test('The list of mutants names test files of npm test that exist', () => {
  const ofOtherCommands = /^tests\/(browser|processes|redis|containers|faults|package|over-http)\//;
  const files = mutants.flatMap(({ killedBy }) => killedBy);
  expect(files.filter((file) => ofOtherCommands.test(file) || !file.endsWith('.test.ts') || !existsSync(pathOf(file)))).toEqual([]);
});
