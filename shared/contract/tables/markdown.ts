/** Markdown for the generated parts of the documentation. */

export const code = (text: string): string => `\`${text}\``;

export const list = (texts: readonly string[]): string => (texts.length === 0 ? '–' : texts.join(', '));

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Mermaid's ids may not have hyphens. */
export const mermaidId = (name: string): string => name.replaceAll('-', '_');

export const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
