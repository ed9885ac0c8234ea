import { printable } from '../../shared/domain/printable.ts';

/** Escaped text with tags. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | undefined | false | Markup | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escaped = (text: string, characters?: number): string =>
  printable(text, characters).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const textOf = (content: Content): string => {
  if (content === undefined || content === false) return '';
  if (content instanceof Markup) return content.text;
  return typeof content === 'object' ? content.map(textOf).join('') : escaped(String(content));
};

/** A template for HTML, SVG or XML. Escapes every value that is not `Markup`. */
export const markup = (parts: TemplateStringsArray, ...contents: readonly Content[]): Markup =>
  new Markup(parts.map((part, index) => part + (index < contents.length ? textOf(contents[index]) : '')).join(''));
