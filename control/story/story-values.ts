import type { z } from 'zod';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import { listCode, numberCode, objectCode, quoted, statement, template } from './code.ts';
import type { ClientCall } from './deeds.ts';
import { createNames, inWords, nounOf, singular } from './names.ts';
import { keyOf, type Part, type PlannedCall } from './plan.ts';
import { isMoney, isRecord, memberCode, type Path, type Reference, type Source } from './references.ts';
import type { Value } from './values.ts';

/** Indent of the statements of a scenario. */
const INDENT = 4;
/** Names that a story uses for other things. */
const TAKEN = ['stage', 'fromNow', 'statesOf', 'euros', 'dollars', 'pounds', 'yen', 'money'];
const CURRENCIES: Readonly<Record<string, string>> = { EUR: 'euros', USD: 'dollars', GBP: 'pounds', JPY: 'yen' };

/** The variable that holds the answer or the object of a source. */
interface Bound {
  readonly name: string;
  /** `body` for an answer. */
  readonly before: Path;
  readonly schema: z.ZodType;
  /** The recorded answer or object. */
  readonly value: unknown;
}

/** A statement of the scenario. */
export const put = (before: string, code: string, after?: string): string => statement(before, code, INDENT, after);

export type StoryValues = ReturnType<typeof createStoryValues>;

/** Writes values as code. It names the variables and constants of a story, and collects the helpers that its code needs. */
export function createStoryValues(uses: ReadonlyMap<string, number>, used: ReadonlyMap<string, readonly Reference[]>) {
  const nameFor = createNames(TAKEN);
  const constantFor = createNames(TAKEN);
  const bound = new Map<string, Bound>();
  /** Constants for members of answers, by their source and path. */
  const hoisted = new Map<string, string>();
  const literals = new Map<string, { readonly name: string; readonly code: string }>();
  const seen = new Set<string>();
  const helpers = new Set<string>();

  function referenceCode({ source, path }: Reference, isText = false): string {
    const name = hoisted.get(`${keyOf(source)} ${path.join('.')}`);
    if (name !== undefined) return name;
    const from = bound.get(keyOf(source));
    if (!from) return quoted(path.join('.'));
    const { code, mayBeMissing } = memberOf(from, path);
    return isText && mayBeMissing ? `${code} ?? ''` : code;
  }

  const textCode = (parts: readonly (string | Reference)[]): string =>
    template(parts.map((part) => (typeof part === 'string' ? part : { code: referenceCode(part) })));

  function codeOf(value: Value, name?: string): string {
    switch (value.is) {
      case 'literal':
        return literalCode(value.value);
      case 'money':
        return moneyCode(value.money, helpers);
      case 'instant':
        helpers.add('fromNow');
        return `fromNow(${numberCode(value.seconds)})`;
      case 'reference':
        return referenceCode(value.reference);
      case 'text':
        return textCode(value.parts);
      case 'list':
        return listCode(value.items.map((item) => codeOf(item)));
      case 'object':
        return constantCode(value, name) ?? objectCode(value.members.map(([member, inner]) => [member, codeOf(inner, member)]));
    }
  }

  /** Addresses, and tenders that several requests have, are constants. */
  function constantCode(value: Extract<Value, { is: 'object' }>, name: string | undefined): string | undefined {
    const title = name === undefined ? undefined : constantName(name, value, uses.get(JSON.stringify(value)) ?? 0);
    if (title === undefined || !value.members.every(([, member]) => member.is === 'literal')) return undefined;
    const code = objectCode(value.members.map(([member, inner]) => [member, codeOf(inner)]));
    const key = JSON.stringify(code);
    const known = literals.get(key);
    if (known) return known.name;
    const constant = constantFor(title)
      .replaceAll(/[A-Z]/g, (letter) => `_${letter}`)
      .toUpperCase();
    literals.set(key, { name: constant, code: statement(`const ${constant} = `, code, 0) });
    return constant;
  }

  const isRead = (source: Source): boolean => used.has(keyOf(source));

  function bind(source: Source, from: Bound): string {
    bound.set(keyOf(source), from);
    return from.name;
  }

  /** Constants for ids deep in an answer. */
  function hoist(source: Source): readonly string[] {
    const from = bound.get(keyOf(source));
    if (!from) return [];
    const lines: string[] = [];
    for (const { path } of used.get(keyOf(source)) ?? []) {
      const key = `${keyOf(source)} ${path.join('.')}`;
      if (path.length < 2 || !path.some((part) => typeof part === 'number') || hoisted.has(key)) continue;
      const { code, mayBeMissing } = memberOf(from, path);
      const name = nameFor(hoistedName(path, from.value));
      hoisted.set(key, name);
      lines.push(put(`const ${name} = `, `${code}${mayBeMissing ? " ?? ''" : ''}`));
    }
    return lines;
  }

  return {
    nameFor,
    isRead,
    codeOf,
    textCode,
    referenceCode,
    bind,
    hoist,
    /** A variable for an answer. */
    bindAnswer({ call, number }: PlannedCall, schema: z.ZodType = call.api.response): string {
      return bind(
        { is: 'answer', call: number },
        { name: nameFor(...variableOf(call, seen)), before: ['body'], schema, value: call.response },
      );
    },
    /** The code that reads a member of an answer; undefined if the schema does not declare it. */
    memberCode(source: Source, path: Path): string | undefined {
      const from = bound.get(keyOf(source));
      return from && memberIn(from, path)?.code;
    },
    statesCode(list: string): string {
      helpers.add('statesOf');
      return `statesOf(${list})`;
    },
    expectedCode(value: unknown): string {
      if (isMoney(value)) return moneyCode(value, helpers);
      if (Array.isArray(value)) return listCode(value.map((item) => literalCode(item as string)));
      return value === undefined ? 'undefined' : literalCode(value as string);
    },
    /** Constants and helpers before the scenario. */
    constants(): readonly string[] {
      const lines = [...literals.values()].map(({ code }) => code);
      for (const [currency, name] of Object.entries(CURRENCIES))
        if (helpers.has(name)) lines.push(`const ${name} = (amount: number) => ({ amount, currency: '${currency}' });`);
      if (helpers.has('statesOf'))
        lines.push('const statesOf = (objects: readonly { state: string }[] = []) => objects.map(({ state }) => state);');
      return lines.length > 0 ? [...lines, ''] : [];
    },
    /** Helpers that need the stage. */
    locals: (): readonly string[] =>
      helpers.has('fromNow')
        ? [put('const fromNow = ', '(seconds: number): string => new Date(stage.now() + seconds * 1_000).toISOString()')]
        : [],
  };
}

function memberIn({ name, before, schema }: Bound, path: Path): { readonly code: string; readonly mayBeMissing: boolean } | undefined {
  const isOptional = schema.def.type === 'optional';
  return memberCode(
    before.length > 0 ? `${name}${isOptional ? '?.' : '.'}${before.join('.')}` : name,
    path,
    isOptional ? (schema as z.ZodOptional<z.ZodType>).unwrap() : schema,
  );
}

/** Also reads a member that the schema does not declare. */
const memberOf = (from: Bound, path: Path): { readonly code: string; readonly mayBeMissing: boolean } =>
  memberIn(from, path) ?? {
    code: [from.name, ...from.before].join('.') + path.map((part) => (typeof part === 'number' ? `[${part}]` : `['${part}']`)).join(''),
    mayBeMissing: false,
  };

const literalCode = (value: string | number | boolean | null): string =>
  typeof value === 'string' ? quoted(value) : typeof value === 'number' ? numberCode(value) : String(value);

function moneyCode({ amount, currency }: { readonly amount: number; readonly currency: string }, helpers: Set<string>): string {
  const helper = CURRENCIES[currency];
  if (helper === undefined)
    return objectCode([
      ['amount', numberCode(amount)],
      ['currency', quoted(currency)],
    ]);
  helpers.add(helper);
  return `${helper}(${numberCode(amount)})`;
}

function constantName(name: string, { members }: Extract<Value, { is: 'object' }>, uses: number): string | undefined {
  if (/address$/i.test(name)) return 'address';
  const type = members.find(([member]) => member === 'type')?.[1];
  if (name !== 'tender' || uses < 2 || type?.is !== 'literal') return undefined;
  const token = members.find(([member]) => member === 'token')?.[1];
  return token?.is === 'literal' && String(token.value).includes('decline') ? `declined ${type.value}` : String(type.value);
}

/** How often requests have each object. */
export async function countObjects(parts: readonly Part[], breathe: Breathe): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const count = (value: Value): void => {
    if (value.is === 'object') {
      const key = JSON.stringify(value);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      for (const [, member] of value.members) count(member);
    }
    if (value.is === 'list') value.items.forEach(count);
  };
  const planned = parts.flatMap((part) => (part.is === 'step' ? [part.planned] : part.is === 'together' ? part.planned : []));
  for await (const { body } of breathing(planned, breathe)) if (body) count(body);
  return counts;
}

/** `mugLineId` for the line of a SKU, and `shipmentId` for other lists. */
function hoistedName(path: Path, value: unknown): string {
  const place = path.findLastIndex((part) => typeof part === 'number');
  const list = singular(String(path[place - 1]));
  const element = path.slice(0, place + 1).reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], value);
  const [about = ''] = isRecord(element) && list === 'line' ? String(element['sku']).split('-') : [];
  const member = String(path.at(-1));
  return `${about} ${inWords(list)} ${member === 'lineId' ? 'id' : inWords(member)}`;
}

/** `order` for the first answer about an object, `completedOrder` for a later one in that state, and `refusal`. */
function variableOf(call: ClientCall, seen: Set<string>): readonly [words: string, isLater?: boolean] {
  if (call.status >= 300) return ['refusal'];
  const noun = nounOf(call.api);
  const { response } = call;
  const id = isRecord(response) && typeof response['id'] === 'string' ? response['id'] : call.path;
  const isFirst = !seen.has(`${noun} ${id}`);
  seen.add(`${noun} ${id}`);
  if (isFirst || !isRecord(response)) return [noun];
  const { state } = response;
  if (typeof state !== 'string') return [`later ${noun}`, true];
  return [state.startsWith('in-') ? `${noun} ${state}` : `${state} ${noun}`, true];
}
