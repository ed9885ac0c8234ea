import type { Context } from '../../control/context.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import { recordInWorld } from '../swap/record-in-world.ts';
import type { KnownIds } from './compare.ts';
import { shadowIds } from './stored-fidelity.ts';

const LONGEST_ID = 64;

/** The ids of the real system in the shadow: it makes its own, which the estate never passes on. */
export function openIds(parts: { readonly store: Store }, context: Context) {
  const { store } = parts;
  const { world } = context;
  const learned = new Map<string, string>();

  /** The known ids among the texts of a value. */
  async function knownIn(...values: readonly unknown[]): Promise<ReadonlyMap<string, string>> {
    const texts = [...new Set(values.flatMap((value) => [...textsIn(value)]))];
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
        theirsOf: (our) => learned.get(our) ?? known.get(our),
        learn: (our, their) => void learned.set(our, their),
        wasSent: (our) => inRequest.has(our),
      };
    },
    async keep(): Promise<void> {
      if (learned.size === 0) return;
      await recordInWorld(parts, context, async (work) => {
        for (const [our, theirs] of learned) {
          await work.get(shadowIds, our);
          work.put(shadowIds, { id: our, theirs });
        }
      });
    },
  };
}

/** Texts that may be an id. */
function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === 'string') {
    if (value !== '' && value.length <= LONGEST_ID) yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* textsIn(inner);
  }
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, map)]));
}
