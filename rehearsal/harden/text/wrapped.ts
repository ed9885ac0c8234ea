import { widthOf } from '../../../shared/process/terminal.ts';

/** Lines of at most `width` characters, broken at blanks. Longer words are broken after a hyphen, or cut into pieces. */
export function wrapped(text: string, width: number): readonly string[] {
  const most = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter(Boolean)) {
    for (const [place, part] of (widthOf(word) <= most ? [word] : partsOf(word, most)).entries()) {
      const longer = line === '' ? part : `${line}${place === 0 ? ' ' : ''}${part}`;
      if (widthOf(longer) <= most) line = longer;
      else {
        lines.push(line);
        line = part;
      }
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** The parts of a long word: `order-`, `created`. */
const partsOf = (word: string, most: number): readonly string[] =>
  word.split(/(?<=-)(?=.)/u).flatMap((part) => {
    const letters = [...part];
    return Array.from({ length: Math.ceil(letters.length / most) }, (_, place) => letters.slice(place * most, (place + 1) * most).join(''));
  });

/** A text with blanks up to a width. */
export const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
