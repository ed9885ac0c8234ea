import type { Page } from '../work/unit-of-work.ts';

/** @param cursor of the next page; undefined: the first */
type FetchPage<T> = (cursor: string | undefined) => Promise<Page<T>>;

/** Walks over all objects of a query, and fetches each page when it is reached. */
export async function* walkPages<T>(fetch: FetchPage<T>): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor);
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** All objects of a query, from all pages. */
export async function allPages<T>(fetch: FetchPage<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of walkPages(fetch)) found.push(item);
  return found;
}
