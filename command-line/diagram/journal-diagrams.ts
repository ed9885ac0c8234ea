import { mermaidOf } from './mermaid.ts';
import { partsOf } from './parts.ts';
import { type Hop, sequenceOf } from './sequence.ts';
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
