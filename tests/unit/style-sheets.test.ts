import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const sheets = trackedFiles.filter((file) => file.endsWith('.module.css'));
const sources = trackedFiles.filter((file) => /^ui\/.*\.tsx?$/.test(file)).map((file) => ({ file, text: textOf(file) }));

/** The local classes of a sheet. */
function declaredIn(sheet: string): readonly string[] {
  const selectors = textOf(sheet)
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/:global\([^)]*\)/g, '')
    .replaceAll(/\{[^{}]*\}/g, '{}');
  return [...new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name))].sort();
}

/** The classes that sources take from a sheet, and those that a variable names. */
function usedFrom(sheet: string): { readonly names: readonly string[]; readonly isIndexed: boolean } {
  const names = new Set<string>();
  let isIndexed = false;
  for (const { file, text } of sources) {
    for (const [, variable = '', path = ''] of text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
      if (join(dirname(file), path) !== sheet) continue;
      for (const [, name, quoted] of text.matchAll(new RegExp(`\\b${variable}(?:\\.(\\w+)|\\['([^']+)'\\])`, 'g')))
        names.add(name ?? quoted ?? '');
      isIndexed ||= new RegExp(`\\b${variable}\\[[^']`).test(text);
    }
  }
  names.delete('module');
  return { names: [...names].sort(), isIndexed };
}

test.each(sheets)('%s has exactly the classes that its pages use', (sheet) => {
  const declared = declaredIn(sheet);
  const { names, isIndexed } = usedFrom(sheet);
  expect(names.filter((name) => !declared.includes(name))).toEqual([]);
  if (!isIndexed) expect(declared.filter((name) => !names.includes(name))).toEqual([]);
});
