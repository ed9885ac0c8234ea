import { useId } from 'preact/hooks';
import { glossary } from './catalog.ts';

/** A word of ours, with its meaning in the glossary as a tooltip. It opens with a click too: not everybody has a pointer. */
export function Term({ word, children }: { word: string; children: string }) {
  const id = useId();
  const meaning = glossary[word] ?? '';
  return (
    <>
      <button type="button" class="term" title={plain(meaning)} popovertarget={id}>
        {children}
      </button>
      <span id={id} popover="auto" class="meaning">
        <strong>{word}.</strong> {inWords(meaning)}
      </span>
    </>
  );
}

/** The meaning of a word, for a tooltip. */
export const meaningOf = (word: string): string => plain(glossary[word] ?? '');

const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');

/** Text of the catalog for a page: backquotes mark code; of links, which lead to files, the words remain. */
export const inWords = (text: string) =>
  text
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? (
        <code key={index} class="brk">
          {part}
        </code>
      ) : (
        part
      ),
    );
