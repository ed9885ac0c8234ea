import type { Context } from '../../control/context.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import { changeRecords } from '../../work/records.ts';
import { mapTexts, textsIn } from '../swap/json-texts.ts';
import type { KnownIds } from './compare.ts';
import { shadowIds } from './stored-fidelity.ts';

const LONGEST_ID = 64;

/** Pairs our ids with the ids that a real system in the mode shadow makes. The estate never passes these on. */
export function openIds(parts: { readonly store: Store }, context: Context) {
  const { store } = parts;
  const { world } = context;
  const noted = new Map<string, string>();

  /** The known ids among the texts of a value. */
  async function knownIn(...values: readonly unknown[]): Promise<ReadonlyMap<string, string>> {
    const texts = [...new Set([...textsIn(values)].filter(mayBeId))];
    const rows = await Promise.all(texts.map((text) => store.object(world, shadowIds.name, text)));
    return new Map(rows.flatMap((row, index) => (row ? [[texts[index] ?? '', (JSON.parse(row.json) as { theirs: string }).theirs]] : [])));
  }

  return {
    /** The value with the ids of the real system in place of ours. */
    async translated<T>(value: T): Promise<T> {
      const known = await knownIn(value);
      return known.size === 0 ? value : (mapTexts(value, (text) => known.get(text) ?? text) as T);
    },
    /** @param sent the request, with our ids @param ours our answer */
    async known(sent: unknown, ours: unknown): Promise<KnownIds> {
      const known = await knownIn(sent, ours);
      const inRequest = new Set(textsIn(sent));
      return {
        theirsOf: (our) => noted.get(our) ?? known.get(our),
        note: (our, their) => void noted.set(our, their),
        wasSent: (our) => inRequest.has(our),
      };
    },
    async keep(): Promise<void> {
      if (noted.size === 0) return;
      await changeRecords(parts.store, context, async (work) => {
        for (const [our, theirs] of noted) {
          await work.get(shadowIds, our);
          work.put(shadowIds, { id: our, theirs });
        }
      });
    },
  };
}

const mayBeId = (text: string): boolean => text !== '' && text.length <= LONGEST_ID;
