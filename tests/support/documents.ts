import { textOf, trackedFiles } from './tracked-files.ts';

/** A block of shell commands in a document, and the output that the document shows for it. */
export interface CommandBlock {
  readonly file: string;
  readonly line: number;
  readonly commands: string;
  /** The word after `needs=`: the block needs more than the estate. */
  readonly needs?: string;
  /** Whether the block has `runs=until-ready`: it starts an estate, which ends with Ctrl-C. */
  readonly startsEstate: boolean;
  readonly output?: string;
  /** Whether the lines of the output may come in any order. */
  readonly anyOrder?: boolean;
}

export const documents: readonly string[] = trackedFiles.filter((file) => file.endsWith('.md'));

/** The pages for users, in their reading order. */
export const pages: readonly string[] = [
  'README.md',
  ...['first-order', 'follow-a-parcel', 'sell-at-the-till', 'collect-in-a-store', 'bring-something-back', 'break-something'].map(
    (name) => `docs/tutorials/${name}.md`,
  ),
  ...documents.filter((file) => file.startsWith('docs/') && !/^docs\/tutorials\/(?!README)/.test(file)),
];

/** Fenced blocks, without those in comments. */
export function fencedBlocks(markdown: string) {
  return [...markdown.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(({ index, 1: indent = '', 2: info = '', 3: text = '' }) => ({
    line: markdown.slice(0, index).split('\n').length,
    words: info.split(' '),
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The shell blocks of a document. A block `text` behind one shows its output. */
export function commandBlocks(file: string): CommandBlock[] {
  const blocks: CommandBlock[] = [];
  for (const { line, words, text } of fencedBlocks(textOf(file))) {
    const [language = '', ...marks] = words;
    const last = blocks.at(-1);
    if (['sh', 'bash', 'console'].includes(language)) {
      const needs = marks.find((mark) => mark.startsWith('needs='))?.slice('needs='.length);
      blocks.push({ file, line, commands: text, startsEstate: marks.includes('runs=until-ready'), ...(needs !== undefined && { needs }) });
    } else if (language === 'text' && last && last.output === undefined) {
      blocks[blocks.length - 1] = { ...last, output: text, anyOrder: marks.includes('any-order') };
    }
  }
  return blocks;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** `…` stands for any text within a line. */
const linePattern = (line: string): string => line.trimEnd().split('…').map(escaped).join('.*?');

/** Whether an output is as the document shows it. A line `…` stands for any lines. */
export function isAsShown(actual: string, { output = '', anyOrder = false }: CommandBlock): boolean {
  const shown = output.trim().split('\n');
  if (!anyOrder) {
    // The last … may stand for no line.
    const rest = shown.at(-1)?.trim() === '…' ? '(?:\\s*\\n[\\s\\S]*)?' : '';
    const patterns = (rest === '' ? shown : shown.slice(0, -1)).map((line) => (line.trim() === '…' ? '[\\s\\S]*?' : linePattern(line)));
    return new RegExp(`^${patterns.join('\\s*\\n')}${rest}$`).test(actual.trim());
  }
  const left = actual
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  for (const line of shown) {
    const at = left.findIndex((candidate) => new RegExp(`^${linePattern(line)}$`).test(candidate));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}
