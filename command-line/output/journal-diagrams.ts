import type { ListedHop } from '../../ui/data/hop.ts';
import { mermaidOf } from '../../ui/sequence/mermaid.ts';
import { sequenceOf } from '../../ui/sequence/sequence.ts';
import { loadDrawing } from './drawings.ts';

interface Journal {
  readonly items: readonly ListedHop[];
}

/** The formats of a journal's diagram. */
export const journalDiagrams = {
  mermaid: ({ items }: Journal): string => {
    const sequence = sequenceOf(items);
    return mermaidOf(sequence, [sequence]);
  },
  svg: async ({ items }: Journal): Promise<string> => {
    const { journalSvg, styles } = await loadDrawing('journal-diagram');
    return journalSvg(items, styles);
  },
};
