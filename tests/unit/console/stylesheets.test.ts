import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const FOLDER = new URL('../../../console/page/', import.meta.url);

/** Selectors of a sheet, without comments and conditions. */
const selectorsIn = (sheet: string): readonly string[] =>
  [
    ...readFileSync(new URL(sheet, FOLDER), 'utf8')
      .replaceAll(/\/\*.*?\*\//gs, '')
      .matchAll(/([^{}]+)\{/g),
  ]
    .flatMap(([, selectors = '']) => selectors.split(','))
    .map((selector) => selector.trim())
    .filter((selector) => selector !== '' && !selector.startsWith('@'));

test('Of the sheets of the console, no two besides base.css style the same elements', () => {
  const sheets = readdirSync(FOLDER).filter((name) => name.endsWith('.css') && name !== 'base.css');
  expect(sheets.length).toBeGreaterThan(5);
  const sheetOf = new Map<string, string>();
  const twice: string[] = [];
  for (const sheet of sheets) {
    for (const selector of new Set(selectorsIn(sheet))) {
      const other = sheetOf.get(selector);
      if (other !== undefined) twice.push(`${selector} in ${other} and ${sheet}`);
      sheetOf.set(selector, sheet);
    }
  }
  expect(twice).toEqual([]);
});
