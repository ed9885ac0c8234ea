import { fencedBlocks } from './documents.ts';

/** A block of a guide for contributors: a change of a file, a whole new file, or commands. */
export interface GuideBlock {
  readonly line: number;
  readonly kind: 'change' | 'file' | 'commands';
  /** The last file in backticks before the block. */
  readonly file: string;
  readonly text: string;
}

export function guideBlocks(markdown: string): readonly GuideBlock[] {
  const lines = markdown.split('\n');
  return fencedBlocks(markdown).map(({ line, words: [language], text }): GuideBlock => {
    const before = lines.slice(0, line - 1).findLast((one) => one.trim() !== '' && !one.startsWith('```')) ?? '';
    const file = [...before.matchAll(/`([\w./-]+\.\w+)`/g)].at(-1)?.[1] ?? '';
    return { line, kind: language === 'diff' ? 'change' : language === 'sh' ? 'commands' : 'file', file, text };
  });
}

const matches = (line: string | undefined, shown: string): boolean =>
  line !== undefined && (shown.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown);

/**
 * Applies a block `diff` of a guide: each part between `@@` has lines of the file (' ' or '-') in sequence, and new lines ('+').
 * @throws Error unless the file has the lines of each part exactly once
 */
export function changed(content: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((text, part) => {
    const rows = part.replace(/\n$/, '').split('\n');
    const old = rows.filter((row) => !row.startsWith('+')).map((row) => row.slice(1));
    const lines = text.split('\n');
    const places = lines.flatMap((_, at) => (old.every((shown, index) => matches(lines[at + index], shown)) ? [at] : []));
    const [at] = places;
    if (at === undefined || places.length > 1) throw new Error(`These lines are ${places.length} times in the file:\n${old.join('\n')}`);
    // A line that stays keeps the text of the file, which `…` leaves out.
    const made = rows.flatMap((row, index) => {
      if (row.startsWith('+')) return [row.slice(1)];
      const before = rows.slice(0, index).filter((one) => !one.startsWith('+')).length;
      return row.startsWith('-') ? [] : [lines[at + before] ?? ''];
    });
    return lines.toSpliced(at, old.length, ...made).join('\n');
  }, content);
}
