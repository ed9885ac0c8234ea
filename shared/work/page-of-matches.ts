import { OUT_OF_SEQUENCE, type Page, type PageOptions } from './unit-of-work.ts';

/** Reads a page of a query. */
export type PageSource<T> = (page: PageOptions) => Promise<Page<T>>;

/** The first read requests one page. Every further read requests this number of rows. */
const CHUNK = 200;

interface Wanted<T> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Whether the row, and all later rows but a few that concurrent requests stored out of sequence, come after the last match. */
  readonly isPast?: ((row: T) => boolean) | undefined;
  /** The most rows to read. Then the page ends with fewer rows, and its cursor continues. Default: no limit. */
  readonly mostRows?: number | undefined;
}

/** A page of the matching rows, in the sequence of the source. Without `mostRows`, `nextCursor` is absent when no further row matches. */
export async function pageOfMatches<T>(
  source: PageSource<T>,
  isMatch: (row: T) => boolean,
  { limit, cursor, isPast, mostRows = Number.POSITIVE_INFINITY }: Wanted<T>,
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  let from = cursor;
  let rowsLeft = mostRows;
  for (let rows = limit; ; rows = CHUNK) {
    const chunk = await source({ limit: rows, cursor: from });
    rowsLeft -= rows;
    const matches = [...chunk.items.entries()].filter(([, row]) => isMatch(row));
    const taken = matches.slice(0, limit - items.length);
    items.push(...taken.map(([, row]) => row));
    const last = taken.at(-1);
    if (items.length === limit && last) {
      // A source gives a cursor only for the end of a page, so a second read ends at the last match.
      const { nextCursor } = await source({ limit: last[0] + 1, cursor: from });
      const hasMore =
        matches.length > taken.length || (await hasMatch(source, isMatch, { from: chunk.nextCursor, limit, isPast, rowsLeft }));
      return hasMore && nextCursor !== undefined ? { items, nextCursor } : { items };
    }
    if (chunk.nextCursor === undefined || isOver(chunk.items, isPast)) return { items };
    if (rowsLeft <= 0) return { items, nextCursor: chunk.nextCursor };
    from = chunk.nextCursor;
  }
}

const isOver = <T>(rows: readonly T[], isPast: Wanted<T>['isPast']): boolean =>
  isPast !== undefined && rows.length >= OUT_OF_SEQUENCE && rows.every(isPast);

interface Rest<T> {
  readonly from: string | undefined;
  readonly limit: number;
  readonly isPast: Wanted<T>['isPast'];
  readonly rowsLeft: number;
}

/** Whether a further row matches. True if too many rows would have to be read. */
async function hasMatch<T>(
  source: PageSource<T>,
  isMatch: (row: T) => boolean,
  { from, limit, isPast, rowsLeft }: Rest<T>,
): Promise<boolean> {
  let [rows, left] = [limit, rowsLeft];
  for (let cursor = from; cursor !== undefined; rows = CHUNK) {
    if (left <= 0) return true;
    const chunk = await source({ limit: rows, cursor });
    left -= rows;
    if (chunk.items.some(isMatch)) return true;
    if (isOver(chunk.items, isPast)) return false;
    cursor = chunk.nextCursor;
  }
  return false;
}
