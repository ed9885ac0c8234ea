/** An expression of TypeScript. A text is printed as it is. */
export type Code = string | ObjectCode | ListCode | CallCode;

interface ObjectCode {
  readonly is: 'object';
  readonly members: readonly (readonly [name: string, value: Code])[];
}

interface ListCode {
  readonly is: 'list';
  readonly items: readonly Code[];
}

interface CallCode {
  readonly is: 'call';
  readonly to: string;
  readonly given: readonly Code[];
}

export const objectCode = (members: readonly (readonly [name: string, value: Code | undefined])[]): Code => ({
  is: 'object',
  members: members.filter((member): member is readonly [string, Code] => member[1] !== undefined),
});

export const listCode = (items: readonly Code[]): Code => ({ is: 'list', items });

export const callCode = (to: string, ...given: readonly Code[]): Code => ({ is: 'call', to, given });

/** Width of a line, as in biome.json. */
const WIDTH = 140;
const INDENT = 2;

/** A text as a literal. */
export function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  if (!text.includes("'")) return `'${escaped.replaceAll('\\"', '"')}'`;
  return text.includes('"') ? `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : `"${escaped}"`;
}

/** A template of texts and expressions; a plain literal without expressions. */
export function template(parts: readonly (string | { readonly code: string })[]): string {
  if (parts.every((part) => typeof part === 'string')) return quoted(parts.join(''));
  const inner = parts.map((part) => (typeof part === 'string' ? part.replaceAll(/[\\`]|\$\{/g, '\\$&') : `\${${part.code}}`));
  return `\`${inner.join('')}\``;
}

/** A number with separators between groups of three digits, from 1,000. */
export const numberCode = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) >= 1_000 ? String(value).replaceAll(/\B(?=(\d{3})+$)/g, '_') : String(value);

const nameCode = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name));

/** A statement in the layout of Biome: as wide as a line permits, and one member per line otherwise. */
export function statement(before: string, code: Code, indent: number, after = ';'): string {
  return `${' '.repeat(indent)}${before}${laidOut(code, { indent, before: before.length, after: after.length })}${after}`;
}

interface Place {
  readonly indent: number;
  /** Characters of the line before and after the expression. */
  readonly before: number;
  readonly after: number;
}

function laidOut(code: Code, place: Place): string {
  const { indent, before, after } = place;
  const flat = flatOf(code);
  const inList = (item: Code): string => laidOut(item, { indent: indent + INDENT, before: 0, after: 1 });
  if (typeof code === 'string') return code;
  if (flat !== undefined && indent + before + flat.length + after <= WIDTH) return flat;
  switch (code.is) {
    case 'object':
      return block('{', code.members.map(memberOf(indent + INDENT)), '}', indent);
    case 'list':
      return block('[', code.items.map(inList), ']', indent);
    case 'call':
      return laidOutCall(code, place);
  }
}

const block = (open: string, lines: readonly string[], close: string, indent: number): string =>
  `${open}\n${lines.map((line) => `${' '.repeat(indent + INDENT)}${line},\n`).join('')}${' '.repeat(indent)}${close}`;

const memberOf =
  (indent: number) =>
  ([name, value]: readonly [string, Code]): string => {
    if (value === name) return name;
    const start = `${nameCode(name)}: `;
    return `${start}${laidOut(value, { indent, before: start.length, after: 1 })}`;
  };

/** An object or a list at the end stays on the line of the call. */
function laidOutCall({ to, given }: CallCode, { indent, before, after }: Place): string {
  const last = given.at(-1);
  const first = given.slice(0, -1).map(flatOf);
  if (last !== undefined && isBlock(last) && first.every((one) => one !== undefined) && !hasFunctions(given)) {
    const start = `${to}(${first.map((one) => `${one}, `).join('')}`;
    if (indent + before + start.length + 1 <= WIDTH)
      return `${start}${laidOut(last, { indent, before: before + start.length, after: after + 1 })})`;
  }
  const lines = given.map((one) => laidOut(one, { indent: indent + INDENT, before: 0, after: 1 }));
  return block(`${to}(`, lines, ')', indent);
}

const isBlock = (code: Code): boolean =>
  typeof code !== 'string' && (code.is === 'object' ? code.members.length > 0 : code.is === 'list' && code.items.length > 0);

/** Arguments take a line each if one of several is a call with a function. */
const hasFunctions = (given: readonly Code[]): boolean =>
  given.length > 1 && given.some((one) => typeof one === 'string' && one.includes(' => ') && !one.endsWith('()') && one.endsWith(')'));

/** The expression in one line; undefined when it always takes several. */
function flatOf(code: Code): string | undefined {
  if (typeof code === 'string') return code;
  if (code.is === 'object') {
    if (code.members.length === 0) return '{}';
    const members = code.members.map(([name, value]) => {
      const flat = flatOf(value);
      return flat === name ? name : flat && `${nameCode(name)}: ${flat}`;
    });
    return members.includes(undefined) ? undefined : `{ ${members.join(', ')} }`;
  }
  const inner = (code.is === 'list' ? code.items : code.given).map(flatOf);
  if (inner.includes(undefined)) return undefined;
  if (code.is === 'call') return hasFunctions(code.given) ? undefined : `${code.to}(${inner.join(', ')})`;
  const areObjects = code.items.every((item) => typeof item !== 'string' && item.is === 'object' && item.members.length > 1);
  return code.items.length > 1 && areObjects ? undefined : `[${inner.join(', ')}]`;
}
