import type { Page, PageOptions } from '../../shared/work/unit-of-work.ts';

export type PageSource<T> = (page: PageOptions) => Promise<Page<T>>;

/** Rows that are read at a time while looking for matches, after a page of them. */
const CHUNK = 200;

/**
 * A page of the rows that fit, in the order of the source. `nextCursor` is there only when another row fits, so the last page says
 * that it is the last.
 */
export async function pageOfMatches<T>(
  source: PageSource<T>,
  fits: (row: T) => boolean,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ items: T[]; nextCursor?: string }> {
  const items: T[] = [];
  let from = cursor;
  for (let rows = limit; ; rows = CHUNK) {
    const chunk = await source({ limit: rows, cursor: from });
    const matches = [...chunk.items.entries()].filter(([, row]) => fits(row));
    const taken = matches.slice(0, limit - items.length);
    items.push(...taken.map(([, row]) => row));
    const last = taken.at(-1);
    if (items.length === limit && last) {
      // The source gives cursors at the end of a page only: read up to the last match once more to get the one that follows it.
      const { nextCursor } = await source({ limit: last[0] + 1, cursor: from });
      const more = matches.length > taken.length || (await anyFits(source, fits, chunk.nextCursor));
      return more && nextCursor !== undefined ? { items, nextCursor } : { items };
    }
    if (chunk.nextCursor === undefined) return { items };
    from = chunk.nextCursor;
  }
}

async function anyFits<T>(source: PageSource<T>, fits: (row: T) => boolean, cursor: string | undefined): Promise<boolean> {
  for (let from = cursor; from !== undefined; ) {
    const chunk = await source({ limit: CHUNK, cursor: from });
    if (chunk.items.some(fits)) return true;
    from = chunk.nextCursor;
  }
  return false;
}
