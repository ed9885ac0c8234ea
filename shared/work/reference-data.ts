import type { Context } from '../control/context.ts';
import type { Found } from '../store/ports/objects.ts';
import { createRemembered } from './remembered.ts';

/** Reads. */
const MOST_REMEMBERED = 1_000;
/** Characters of the found objects. */
const MOST_CHARACTERS = 1_024 * 1_024;

/**
 * The reference data that an application has read. They are remembered under the last change that the context of the reader names, so a
 * request that begins after a change, in any process, reads the store.
 */
export interface ReferenceData {
  /** @param read names the objects @param fetch reads them from the store */
  find(context: Context, read: string, fetch: () => Promise<readonly Found[]>): Promise<readonly Found[]>;
  /** Forgets everything, so that a rerun of a refused change reads the newer version. */
  forget(): void;
}

export function createReferenceData(): ReferenceData {
  const known = createRemembered<string, readonly Found[]>({
    max: MOST_REMEMBERED,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (found, key) => found.reduce((sum, { json }) => sum + json.length, key.length),
  });
  return {
    async find({ world, reference = '' }, read, fetch) {
      const key = `${world} ${reference} ${read}`;
      const before = known.get(key);
      if (before) return before;
      const found = await fetch();
      // A client may request any number of unknown names, and they must not displace the others.
      if (found.length > 0) known.set(key, found);
      return found;
    },
    forget: () => known.clear(),
  };
}
