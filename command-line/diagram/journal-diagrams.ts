import type { ListedHop as Hop } from '../../ui/data/hop.ts';
import { mermaidOf } from '../../ui/sequence/mermaid.ts';
import { partsOf } from '../../ui/sequence/parts.ts';
import { sequenceOf } from '../../ui/sequence/sequence.ts';
import { svgOf } from './svg.ts';

interface Journal {
  readonly items: readonly Hop[];
}

/** The formats of a journal's diagram. */
export const journalDiagrams = {
  mermaid: ({ items }: Journal): string => {
    const sequence = sequenceOf(items);
    return mermaidOf(sequence, [sequence]);
  },
  svg: ({ items }: Journal): Promise<string> => {
    const sequence = sequenceOf(items);
    return svgOf(sequence, partsOf([sequence.arrows]).flat());
  },
};
