import { expect, test } from '@jest/globals';
import { type PageSource, pageOfMatches } from '../../shared/handlers/page-of-matches.ts';

/** The numbers from 1, and the count of the rows that were read. */
function numbers(last: number) {
  let rows = 0;
  const source: PageSource<number> = async ({ limit = 1_000, cursor = '0' }) => {
    const from = Number(cursor);
    const items = Array.from({ length: Math.max(0, Math.min(limit, last - from)) }, (_, index) => from + index + 1);
    rows += items.length;
    return from + items.length < last ? { items, nextCursor: String(from + items.length) } : { items };
  };
  return { source, rows: () => rows };
}

const isRare = (number: number): boolean => number % 700 === 0;

test('A page of rare rows ends after the most rows, and its cursor continues', async () => {
  const { source, rows } = numbers(10_000);
  const first = await pageOfMatches(source, isRare, { limit: 20, mostRows: 1_000 });
  expect(first.items).toEqual([700]);
  expect(rows()).toBeLessThanOrEqual(1_200);
  const found = [...first.items];
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page = await pageOfMatches(source, isRare, { limit: 20, cursor, mostRows: 1_000 });
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  expect(found).toEqual(Array.from({ length: 14 }, (_, index) => 700 * (index + 1)));
});

test('A page has no cursor when all later rows come after the last match', async () => {
  const { source, rows } = numbers(1_000_000);
  const wanted = { limit: 5, isPast: (number: number) => number > 8, mostRows: 1_000 };
  const first = await pageOfMatches(source, (number) => number <= 8, wanted);
  expect(first).toEqual({ items: [1, 2, 3, 4, 5], nextCursor: '5' });
  const rest = await pageOfMatches(source, (number) => number <= 8, { ...wanted, cursor: first.nextCursor });
  expect(rest).toEqual({ items: [6, 7, 8] });
  expect(rows()).toBeLessThan(1_000);
});

test('A page without a limit of rows has a cursor only when a further row matches', async () => {
  const { source } = numbers(1_500);
  expect(await pageOfMatches(source, isRare, { limit: 1 })).toEqual({ items: [700], nextCursor: '700' });
  expect(await pageOfMatches(source, isRare, { limit: 2 })).toEqual({ items: [700, 1_400] });
});

test('A page of large rows ends before its sizes exceed their sum, and its cursor continues', async () => {
  const { source, rows } = numbers(100);
  const size = { of: (number: number) => number, most: 60 };
  for (const isMatch of [undefined, (number: number) => number % 2 === 0]) {
    const pages: (readonly number[])[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await pageOfMatches(source, isMatch, { limit: 40, cursor, size });
      pages.push(page.items);
      cursor = page.nextCursor;
    }
    const all = Array.from({ length: 100 }, (_, index) => index + 1).filter((number) => isMatch?.(number) ?? true);
    expect(pages.flat()).toEqual(all);
    const sums = pages.map((page) => page.reduce((sum, number) => sum + number, 0));
    // A row that is larger than the sum is alone.
    expect(pages.filter((page, place) => page.length > 1 && (sums[place] ?? 0) > size.most)).toEqual([]);
    expect(pages[0]).toEqual(isMatch ? [2, 4, 6, 8, 10, 12, 14] : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  }
  const before = rows();
  await pageOfMatches(source, undefined, { limit: 100, size });
  expect(rows() - before).toBeLessThanOrEqual(30);
});

test('A page of all rows reads each of them once, and no row after them', async () => {
  const { source, rows } = numbers(100);
  const size = { of: () => 1, most: 1_000 };
  expect(await pageOfMatches(source, undefined, { limit: 50, size })).toMatchObject({ nextCursor: '50' });
  expect(rows()).toBe(50);
  expect(await pageOfMatches(source, undefined, { limit: 50, cursor: '50', size })).not.toHaveProperty('nextCursor');
});
