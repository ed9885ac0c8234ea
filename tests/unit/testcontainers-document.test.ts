import { expect, test } from '@jest/globals';
import { textOf } from '../support/tracked-files.ts';

const FILE = 'docs/how-to/testcontainers.md';
/** Code of a document, and the file that it comes from. */
const excerptsOf = (file: string) =>
  [...textOf(file).matchAll(/<!-- from (\S+) -->\n```\w+\n([\s\S]*?)\n```/g)].map(([, source = '', code = '']) => ({ source, code }));

test('The guide to Testcontainers shows files that a test runs, verbatim', () => {
  const shown = excerptsOf(FILE);
  expect(shown.length).toBeGreaterThan(0);
  for (const { source, code } of shown) expect(textOf(source)).toContain(code);
});

test('The guide for Node shows every method that configures a container', () => {
  const methods = ['testcontainers/estate-container.ts', 'testcontainers/estate-ensemble.ts', 'rehearsal/estate-rehearsal.ts'].flatMap(
    (source) => [...textOf(source).matchAll(/^ {2}(?:async )?(?!constructor)([a-z]\w+)(?:<.*>)?\(/gm)].map(([, name = '']) => name),
  );
  expect(methods.length).toBeGreaterThan(25);
  expect(methods.filter((name) => !['start', 'create'].includes(name) && !textOf(FILE).includes(`${name}(`))).toEqual([]);
});
