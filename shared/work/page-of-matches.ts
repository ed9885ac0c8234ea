import type { Page, PageOptions } from './unit-of-work.ts';

/** Reads a page of a query. */
export type PageSource<T> = (page: PageOptions) => Promise<Page<T>>;

/** The first read requests one page. Every further read requests this number of rows. */
const CHUNK = 200;

/** A page of the matching rows, in the sequence of the source. `nextCursor` is absent when no further row matches. */
export async function pageOfMatches<T>(
  source: PageSource<T>,
  isMatch: (row: T) => boolean,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  let from = cursor;
  for (let rows = limit; ; rows = CHUNK) {
    const chunk = await source({ limit: rows, cursor: from });
    const matches = [...chunk.items.entries()].filter(([, row]) => isMatch(row));
    const taken = matches.slice(0, limit - items.length);
    items.push(...taken.map(([, row]) => row));
    const last = taken.at(-1);
    if (items.length === limit && last) {
      // A source gives a cursor only for the end of a page, so a second read ends at the last match.
      const { nextCursor } = await source({ limit: last[0] + 1, cursor: from });
      const hasMore = matches.length > taken.length || (await hasMatch(source, isMatch, chunk.nextCursor));
      return hasMore && nextCursor !== undefined ? { items, nextCursor } : { items };
    }
    if (chunk.nextCursor === undefined) return { items };
    from = chunk.nextCursor;
  }
}

async function hasMatch<T>(source: PageSource<T>, isMatch: (row: T) => boolean, cursor: string | undefined): Promise<boolean> {
  for (let from = cursor; from !== undefined; ) {
    const chunk = await source({ limit: CHUNK, cursor: from });
    if (chunk.items.some(isMatch)) return true;
    from = chunk.nextCursor;
  }
  return false;
}
