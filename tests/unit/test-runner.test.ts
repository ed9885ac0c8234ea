import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { newId } from '../../shared/domain/ids.ts';
import { eventually } from '../support/eventually.ts';

/** Loads modules as code does that belongs to no test file. */
const require = createRequire(import.meta.url);

test('The runner of tests runs a test in the realm of Node, where its literals have the classes of the tested code', () => {
  expect(runInThisContext('Array')).toBe(Array);
  expect(runInThisContext('globalThis')).toBe(globalThis);
});

test("The runner of tests has Node load Jest's framework, once per process", () => expect(require('@jest/expect').jestExpect).toBe(expect));

test('The runner of tests loads the tested code once per process, and helpers once per test file', () => {
  expect(require('../../shared/domain/ids.ts').newId).toBe(newId);
  expect(require('../support/eventually.ts').eventually).not.toBe(eventually);
});

test('The runner of tests shows errors by path, line and column', () =>
  expect(new Error('here').stack?.split('\n')[1]).toMatch(/ \(\/.*\/tests\/unit\/test-runner\.test\.ts:23:10\)$/));
