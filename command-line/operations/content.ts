import type { Member } from './schema-members.ts';

export type Content = Record<string, unknown>;

export interface Given {
  /** Without its hyphens. */
  readonly option: string;
  readonly member: Member;
  readonly value: unknown;
}

const isContent = (value: unknown): value is Content => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets a value at its path. Copies the parts that contain it. */
export function put(content: Content, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) content[name] = value;
  else {
    const part = content[name];
    const inner = isContent(part) ? { ...part } : {};
    put(inner, rest, value);
    content[name] = inner;
  }
}

export const valueAt = (content: Content, path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (isContent(part) ? part[name] : undefined), content);
