import { useEffect, useState } from 'preact/hooks';
import { isNarrow } from './narrow.ts';

export interface Chosen {
  /** The item to show beside the list. Undefined: no row yet, or no room. */
  readonly key: string | undefined;
  /** Whether the address names the item. */
  readonly isOpened: boolean;
}

/**
 * Which item a list shows beside it: the one that the address names, the one that it named last, or else the first row. The first row stays
 * chosen while newer ones arrive. A narrow window has room for the list only.
 * @param opened key of the item that the address names @param list link to the list: another filter has other rows
 * @param keys keys of the rows; undefined while they are read
 */
export function useChosen(opened: string | undefined, list: string, keys: readonly string[] | undefined): Chosen {
  const [kept, setKept] = useState<{ readonly list: string; readonly key: string }>();
  const last = kept?.list === list ? kept.key : undefined;
  const isListed = last !== undefined && keys?.includes(last);
  const key = opened ?? (isListed ? last : keys?.[0]);
  useEffect(() => {
    if (key !== undefined && key !== last) setKept({ list, key });
  }, [list, key]);
  return { key: opened ?? (isNarrow.value ? undefined : key), isOpened: opened !== undefined };
}
