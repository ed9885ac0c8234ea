import { describe, expect, test } from '@jest/globals';
import { textOf } from '../support/tracked-files.ts';

const FILE = 'docs/how-to/testcontainers-node.md';
const excerpts = [...textOf(FILE).matchAll(/<!-- from (\S+) -->\n```ts\n([\s\S]*?)\n```/g)].map(([, source = '', code = '']) => ({
  source,
  code,
}));

const inOtherLanguages = ['python', 'go', 'java'].map((language) => {
  const file = `docs/how-to/testcontainers-${language}.md`;
  const shown = [...textOf(file).matchAll(/<!-- from (\S+) -->\n```\w+\n([\s\S]*?)\n```/g)].map(([, source = '', code = '']) => ({
    source,
    code,
  }));
  return { file, shown };
});

test.each(inOtherLanguages)('$file shows the files that tests/containers/languages.test.ts runs', ({ shown }) => {
  expect(shown.length).toBeGreaterThan(0);
  for (const { source, code } of shown) expect(textOf(source)).toContain(code);
});

describe(FILE, () => {
  test('takes its code from executed files', () => expect(new Set(excerpts.map(({ source }) => source)).size).toBe(2));

  test.each(excerpts)('shows $source as it is', ({ source, code }) => expect(textOf(source)).toContain(code));

  test('shows every method that configures a container', () => {
    const methods = ['testcontainers/estate-container.ts', 'testcontainers/estate-ensemble.ts', 'rehearsal/estate-rehearsal.ts'].flatMap(
      (source) => [...textOf(source).matchAll(/^ {2}(?:async )?(?!constructor)([a-z]\w+)(?:<.*>)?\(/gm)].map(([, name = '']) => name),
    );
    expect(methods.length).toBeGreaterThan(25);
    expect(methods.filter((name) => !['start', 'create'].includes(name) && !textOf(FILE).includes(`${name}(`))).toEqual([]);
  });
});
