import { escapedControls } from '../../shared/domain/printable.ts';

/** Longest object or list in one line. A formatter can lay out the whole file. */
const LONGEST = 100;

const block = (open: string, items: readonly string[], close: string): string => {
  const flat = items.join(', ');
  if (flat.length <= LONGEST && !flat.includes('\n')) return flat !== '' && open === '{' ? `{ ${flat} }` : `${open}${flat}${close}`;
  return `${open}\n${items.map((item) => `${indented(`  ${item}`, 2)},\n`).join('')}${close}`;
};

const indented = (code: string, indent: number): string => code.replaceAll('\n', `\n${' '.repeat(indent)}`);

export const objectCode = (members: readonly (readonly [name: string, value: string | undefined])[]): string =>
  block(
    '{',
    members.flatMap(([name, value]) => (value === undefined ? [] : [value === name ? name : `${nameCode(name)}: ${value}`])),
    '}',
  );

export const listCode = (items: readonly string[]): string => block('[', items, ']');

export const callCode = (to: string, ...given: readonly string[]): string => `${to}(${given.join(', ')})`;

export const statement = (before: string, code: string, indent: number, after = ';'): string =>
  `${' '.repeat(indent)}${before}${indented(code, indent)}${after}`;

/** Characters that reverse the direction of writing would show a reader other code than a program runs. */
const escapedText = (text: string): string => escapedControls(JSON.stringify(text)).slice(1, -1);

/** A text as a literal. */
export function quoted(text: string): string {
  const escaped = escapedText(text);
  if (!text.includes("'")) return `'${escaped.replaceAll('\\"', '"')}'`;
  return text.includes('"') ? `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : `"${escaped}"`;
}

/** A template of texts and expressions; a plain literal without expressions. Its line breaks are escaped, as indenting would change them. */
export function template(parts: readonly (string | { readonly code: string })[]): string {
  if (parts.every((part) => typeof part === 'string')) return quoted(parts.join(''));
  const textOf = (text: string): string =>
    escapedText(text)
      .replaceAll('\\"', '"')
      .replaceAll(/`|\$\{/g, '\\$&');
  return `\`${parts.map((part) => (typeof part === 'string' ? textOf(part) : `\${${part.code}}`)).join('')}\``;
}

/** A number with separators between groups of three digits, from 1,000. */
export const numberCode = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) >= 1_000 ? String(value).replaceAll(/\B(?=(\d{3})+$)/g, '_') : String(value);

const nameCode = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));
