import { magicValues } from '../../catalog/magic-values.ts';
import { code, table } from './markdown.ts';

/** What of the initial world is made for rehearsing. */
export const magicValueTable = (): string =>
  table(
    ['What', 'Use it for'],
    magicValues.flatMap(({ rows }) =>
      rows.map(({ values, also, use }) => [[values.map(code).join(', '), ...(also === undefined ? [] : [also])].join(', '), use]),
    ),
  );
