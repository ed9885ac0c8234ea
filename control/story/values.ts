import { CENSOR } from '../../shared/domain/censor.ts';
import { ID, isMoney, isRecord, type MoneyValue, type Reference, type References } from './references.ts';

/** A value of a request, as the story writes it. */
export type Value =
  | { readonly is: 'literal'; readonly value: string | number | boolean | null }
  | { readonly is: 'money'; readonly money: MoneyValue }
  /** An instant, in seconds from the rehearsal's clock. */
  | { readonly is: 'instant'; readonly seconds: number }
  | { readonly is: 'reference'; readonly reference: Reference }
  | { readonly is: 'text'; readonly parts: readonly (string | Reference)[] }
  | { readonly is: 'object'; readonly members: readonly (readonly [name: string, value: Value])[] }
  | { readonly is: 'list'; readonly items: readonly Value[] };

/** The simulated provider approves each token without a special meaning, such as this one. */
export const ORDINARY_CARD = 'tok_visa';
/** A token whose answers were changed by hand. The journal redacts its name. */
export const CARD_BY_HAND = 'tok_by_hand';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Instants that are further away are constants, such as the end of a fixture's promotion. */
const NEAR_MS = 400 * 24 * 60 * 60 * 1_000;

/** The facts that decide how a value is written. */
export interface Reading {
  readonly references: Pick<References, 'ofText' | 'ofMoney'>;
  /** Searches the events for a text that no answer has. */
  readonly ofEvent: (text: string) => Reference | undefined;
  /** Epoch milliseconds of the rehearsal's clock. */
  readonly at: number;
  /** The card in place of a token that the journal redacts. */
  readonly card: string;
}

export function readValue(json: unknown, reading: Reading, name?: string): Value {
  if (typeof json === 'string') return textValue(json, reading, name);
  if (isMoney(json)) {
    const reference = reading.references.ofMoney(json);
    return reference ? { is: 'reference', reference } : { is: 'money', money: json };
  }
  if (Array.isArray(json)) return { is: 'list', items: json.map((item) => readValue(item, reading, name)) };
  if (isRecord(json)) {
    const members = Object.entries(json).map(([member, value]) => [member, readValue(value, reading, member)] as const);
    return { is: 'object', members };
  }
  return { is: 'literal', value: json as number | boolean | null };
}

function textValue(text: string, reading: Reading, name: string | undefined): Value {
  if (text === CENSOR && name === 'token') return { is: 'literal', value: reading.card };
  const reference = referenceTo(text, reading);
  if (reference) return { is: 'reference', reference };
  const parts = partsOf(text, reading);
  if (parts.some((part) => typeof part !== 'string')) return { is: 'text', parts };
  const offset = INSTANT.test(text) ? Date.parse(text) - reading.at : Number.NaN;
  if (Math.abs(offset) < NEAR_MS) return { is: 'instant', seconds: Math.round(offset / 1_000) };
  return { is: 'literal', value: text };
}

const referenceTo = (text: string, { references, ofEvent }: Reading): Reference | undefined =>
  references.ofText(text) ?? (new RegExp(`^${ID.source}$`).test(text) ? ofEvent(text) : undefined);

/** A text with the ids in it as references. */
function partsOf(text: string, reading: Reading): readonly (string | Reference)[] {
  const parts: (string | Reference)[] = [];
  let from = 0;
  for (const match of text.matchAll(ID)) {
    const reference = referenceTo(match[0], reading);
    if (!reference) continue;
    parts.push(text.slice(from, match.index), reference);
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
}

/** A path with its query, whose segments and values may be references. */
export function pathParts(path: string, reading: Reading): readonly (string | Reference)[] {
  const whole = reading.references.ofText(path);
  if (whole) return [whole];
  return path.split(/([/?&=])/).flatMap((part): readonly (string | Reference)[] => {
    const value = textValue(decoded(part), reading, undefined);
    if (value.is === 'reference') return [value.reference];
    return value.is === 'text' ? value.parts : [part];
  });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
