import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Member } from '../../shared/contract/members.ts';
import { nearestWord } from '../../shared/domain/nearest-word.ts';
import { misuse } from '../failure.ts';
import { type ValueHints, wordsOf } from './member-option.ts';

/** Bodies of an operation, by name. The first argument chooses one, or names a custom body made of options. */
export interface Presets {
  readonly bodies: ReadonlyMap<string, object>;
  /** The command that lists them. */
  readonly list: string;
  /** The noun for a body in messages. */
  readonly thing: string;
}

interface Chosen {
  readonly name: string;
  readonly given: readonly Given[];
  readonly members: ReadonlyMap<string, Member>;
  readonly hints: ValueHints;
  readonly request: z.ZodType;
}

/** The body of a preset, or an empty one. @throws CommandFailure for an unknown preset alone, and for options that contradict it */
export function presetBody({ bodies, list, thing }: Presets, chosen: Chosen): Content {
  const { name, given, members } = chosen;
  const body = bodies.get(name) as Content | undefined;
  if (body !== undefined) {
    const contradiction = given.find((option) => !fits(option, body, chosen.request));
    if (contradiction === undefined) return { ...body };
    const { option, value } = contradiction;
    const own = [...members].flatMap(([one, { path }]) => (valueAt(body, path) === undefined ? [] : [`--${one} ${valueAt(body, path)}`]));
    throw misuse(
      `--${option} ${value} contradicts the preset ${name}, which is ${own.join(' ')}; leave --${option} out, or give the ${thing} another name.`,
    );
  }
  const missing = [...members].flatMap(([option, { required }]) =>
    required && !given.some((one) => one.option === option) ? [`--${option}`] : [],
  );
  if (missing.length === 0) return {};
  const nearest = nearestOf(chosen, [...bodies.keys()]);
  const meant = nearest === undefined ? '.' : `; did you mean ${nearest}?`;
  throw misuse(`There is no preset ${name}${meant} estate ${list} lists them. A custom ${thing} needs ${missing.join(' and ')}.`);
}

/** Finds a typo, or the value of a required option that was given as a preset. */
function nearestOf({ name, members, hints }: Chosen, presets: readonly string[]): string | undefined {
  const options = new Map(
    [...members].flatMap(([option, member]) =>
      member.required ? (wordsOf(member, hints) ?? []).map((word) => [word, `--${option} ${word}`] as const) : [],
    ),
  );
  const nearest = nearestWord(name, [...presets, ...options.keys()]);
  return nearest === undefined ? undefined : (options.get(nearest) ?? nearest);
}

/** Whether an option repeats a value of the preset, or adds one that the schema allows. */
function fits({ member: { path }, value }: Given, body: Content, request: z.ZodType): boolean {
  const own = valueAt(body, path);
  if (own !== undefined) return isDeepStrictEqual(own, value);
  const both = { ...body };
  put(both, path, value);
  const { error } = request.safeParse(both);
  return !(error?.issues ?? []).some((issue) => issue.path.length > 0 && issue.path.every((step, index) => step === path[index]));
}

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

const valueAt = (content: Content, path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (isContent(part) ? part[name] : undefined), content);
