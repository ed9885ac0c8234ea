import { OUT_OF_SEQUENCE, type Page, type PageOptions } from '../work/unit-of-work.ts';

/** Reads a page of a query. */
export type PageSource<T> = (page: PageOptions) => Promise<Page<T>>;

/** The first read requests one page. Every further read requests this number of rows. */
const CHUNK = 200;
/** The first read of rows whose sizes count, because a page of large rows has only few of them. */
const FIRST_SIZED = 20;

interface Wanted<T> {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Whether the row, and all later rows but a few that concurrent requests stored out of sequence, come after the last match. */
  readonly isPast?: ((row: T) => boolean) | undefined;
  /** The most rows to read. Then the page ends with fewer rows, and its cursor continues. Default: no limit. */
  readonly mostRows?: number | undefined;
  /** The sizes of the rows of a page add up to at most `most`. Then the page has fewer rows, at least one, and its cursor continues. */
  readonly size?: { readonly of: (row: T) => number; readonly most: number } | undefined;
}

/**
 * A page of the matching rows, in the sequence of the source. Without `mostRows`, `nextCursor` is absent when no further row matches.
 * @param isMatch undefined: every row matches
 */
export async function pageOfMatches<T>(
  source: PageSource<T>,
  isMatch: ((row: T) => boolean) | undefined,
  { limit, cursor, isPast, mostRows = Number.POSITIVE_INFINITY, size }: Wanted<T>,
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  const isTaken = takerOf(items, { limit, size });
  let from = cursor;
  let rowsLeft = mostRows;
  for (let rows = size ? Math.min(limit, FIRST_SIZED) : limit; ; rows = isMatch ? CHUNK : limit - items.length) {
    const chunk = await source({ limit: rows, cursor: from });
    rowsLeft -= rows;
    const matches = [...chunk.items.entries()].filter(([, row]) => isMatch?.(row) ?? true);
    const next = matches.findIndex(([, row]) => !isTaken(row));
    if (next !== -1 || items.length === limit) {
      const last = next === -1 ? matches.at(-1) : matches[next - 1];
      const nextCursor = last ? await cursorAfter(source, { chunk, row: last[0], from }) : from;
      const hasMore = next !== -1 || (await hasMatch(source, isMatch, { from: chunk.nextCursor, limit, isPast, rowsLeft }));
      return hasMore && nextCursor !== undefined ? { items, nextCursor } : { items };
    }
    if (chunk.nextCursor === undefined || isOver(chunk.items, isPast)) return { items };
    if (rowsLeft <= 0) return { items, nextCursor: chunk.nextCursor };
    from = chunk.nextCursor;
  }
}

/** Puts rows into a page. @returns a function whose result is false for a row that the page has no space for */
function takerOf<T>(items: T[], { limit, size }: Pick<Wanted<T>, 'limit' | 'size'>): (row: T) => boolean {
  let taken = 0;
  return (row) => {
    const more = size?.of(row) ?? 0;
    if (items.length === limit || (size && items.length > 0 && taken + more > size.most)) return false;
    items.push(row);
    taken += more;
    return true;
  };
}

interface RowOfChunk<T> {
  readonly chunk: Page<T>;
  readonly row: number;
  /** The cursor of the chunk. */
  readonly from: string | undefined;
}

/** A source gives a cursor only for the end of a page, so the rows of a chunk up to its last match are read again. */
const cursorAfter = async <T>(source: PageSource<T>, { chunk, row, from }: RowOfChunk<T>): Promise<string | undefined> =>
  row === chunk.items.length - 1 ? chunk.nextCursor : (await source({ limit: row + 1, cursor: from })).nextCursor;

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
  isMatch: ((row: T) => boolean) | undefined,
  { from, limit, isPast, rowsLeft }: Rest<T>,
): Promise<boolean> {
  if (!isMatch) return from !== undefined;
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
