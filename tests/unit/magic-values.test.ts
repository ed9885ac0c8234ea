import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { magicValues } from '../../shared/catalog/magic-values.ts';

const page = readFileSync(new URL('../../docs/reference/magic-values.md', import.meta.url), 'utf8');

test.each(magicValues.flatMap(({ rows }) => rows.flatMap(({ values }) => values)))('The magic value %s is in the reference', (value) =>
  expect(page).toContain(`\`${value}\``),
);
