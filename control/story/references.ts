import type { z } from 'zod';

/** A member of an answer or of an event's object: names, and places in lists. */
export type Path = readonly (string | number)[];

/** A value of an earlier answer or event. */
export interface Reference {
  readonly source: Source;
  readonly path: Path;
}

/** An answer, by the place of its call among all calls; or the object of an event, by its place on the bus. */
export type Source = { readonly is: 'answer'; readonly call: number } | { readonly is: 'event'; readonly order: number };

/**
 * Whether a text can only come from the estate. Such texts (ids, tracking numbers, codes, instants, addresses) have at least eight
 * characters without spaces and at least one digit. Neither an earlier request of the client nor the initial data of the rehearsal has
 * them. So words such as `confirmed`, SKUs and stores stay as they are. Numbers are never references, since quantities and versions
 * coincide by accident; for amounts see `isSentOn`.
 */
export const isMadeByEstate = (text: string, known: { readonly requests: ReadonlySet<string>; readonly seed: string }): boolean =>
  /^\S{8,}$/.test(text) && /\d/.test(text) && !known.requests.has(text) && !known.seed.includes(JSON.stringify(text).slice(1, -1));

/** The code of a collection, which the customer shows at the counter. It is shorter than other texts of the estate. */
const isCollectionCode = (path: Path, text: string): boolean => path.at(-1) === 'code' && /^\d{6}$/.test(text);

/** Members that name an amount to pay or to pay back. A client that read such a member and sends the same amount means the member. */
const OWED: ReadonlySet<string> = new Set(['total', 'outstanding', 'authorizedAmount', 'capturedAmount', 'refundableAmount', 'owedRefund']);

/** Whether an amount of an answer is a reference when a later request sends the same amount. */
const isSentOn = (path: Path): boolean => OWED.has(String(path.at(-1)));

/** An id of the estate within a longer text, such as the subject of an event. */
export const ID = /\b[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}\b/g;

export interface MoneyValue {
  readonly amount: number;
  readonly currency: string;
}

export const isMoney = (value: unknown): value is MoneyValue =>
  isRecord(value) && Object.keys(value).length === 2 && typeof value['amount'] === 'number' && typeof value['currency'] === 'string';

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of earlier answers and events, by their text. The first answer that has a value is its source. */
export function createReferences(seed: string) {
  const requests = new Set<string>();
  const texts = new Map<string, Reference>();
  const versions = new Map<string, Reference>();
  let amounts: readonly { readonly money: MoneyValue; readonly reference: Reference }[] = [];

  return {
    /** Adds the texts of a request, which later answers only repeat. */
    addRequest(request: unknown): void {
      visit(request, [], (value) => typeof value === 'string' && requests.add(value));
    },
    /** Adds the values of an answer, or of the object of an event. */
    add(source: Source, body: unknown): void {
      const owed: { money: MoneyValue; reference: Reference }[] = [];
      visit(body, [], (value, path) => {
        const reference = { source, path };
        if (typeof value === 'string' && !texts.has(value)) {
          const isOurs = isMadeByEstate(value, { requests, seed }) || (isCollectionCode(path, value) && !requests.has(value));
          if (isOurs) texts.set(value, reference);
        }
        if (isMoney(value) && isSentOn(path) && value.amount > 0) owed.push({ money: value, reference });
      });
      if (isRecord(body) && typeof body['id'] === 'string')
        versions.set(`${body['id']} ${String(body['version'])}`, { source, path: ['version'] });
      // Amounts change with each answer, so only the amounts of the newest answer are current.
      if (source.is === 'answer' && owed.length > 0) amounts = owed;
    },
    /** The version of an object, which `If-Match` names. */
    ofVersion: (id: string, version: number): Reference | undefined => versions.get(`${id} ${version}`),
    ofText: (text: string): Reference | undefined => texts.get(text),
    ofMoney: ({ amount, currency }: MoneyValue): Reference | undefined =>
      amounts.find(({ money }) => money.amount === amount && money.currency === currency)?.reference,
  };
}

export type References = ReturnType<typeof createReferences>;

/** Sees a value and all values within it, with their paths. */
export function visit(value: unknown, path: Path, see: (value: unknown, path: Path) => void): void {
  see(value, path);
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) visit(item, [...path, place], see);
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) visit(member, [...path, name], see);
  }
}

/** The code of a member, with `?.` after each value that may be missing for the compiler. @returns undefined for a member that the schema does not have */
export function memberCode(
  start: string,
  path: Path,
  schema: z.ZodType,
): { readonly code: string; readonly mayBeMissing: boolean } | undefined {
  let code = start;
  let { inner, isOptional: isMissing } = unwrapped(schema);
  let mayBeMissing = isMissing;
  for (const name of path) {
    const next = typeof name === 'number' ? elementOf(inner) : memberOf(inner, name);
    if (next === undefined) return undefined;
    const link = isMissing ? '?.' : '';
    if (typeof name === 'number') code += `${link}[${name}]`;
    else code += /^[A-Za-z_$][\w$]*$/.test(name) ? `${link || '.'}${name}` : `${link}['${name}']`;
    const { isOptional } = unwrapped(next);
    inner = unwrapped(next).inner;
    isMissing = isOptional || typeof name === 'number';
    mayBeMissing ||= isMissing;
  }
  return { code, mayBeMissing };
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
}

const definitionOf = (schema: z.ZodType | undefined): Definition | undefined => schema?.def as Definition | undefined;

/** The schema inside optional, nullable and other wrappers. */
function unwrapped(schema: z.ZodType | undefined): { readonly inner: z.ZodType | undefined; readonly isOptional: boolean } {
  let inner = schema;
  let isOptional = false;
  for (;;) {
    const definition = definitionOf(inner);
    if (definition?.type === 'optional' || definition?.type === 'nullable') isOptional = true;
    const next = definition?.innerType ?? definition?.out;
    if (next === undefined) return { inner, isOptional };
    inner = next;
  }
}

const elementOf = (schema: z.ZodType | undefined): z.ZodType | undefined => definitionOf(schema)?.element;

function memberOf(schema: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const definition = definitionOf(schema);
  const options = definition?.options ?? (schema ? [schema] : []);
  const found = options.map((option) => definitionOf(unwrapped(option).inner)?.shape?.[name]).filter((one) => one !== undefined);
  // A member of some variants only may be missing.
  return found.length === options.length ? found[0] : found[0]?.optional();
}
