import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { apis } from '../../catalog/apis.ts';
import type { ApiDefinition } from '../../catalog/define.ts';
import { internalCalls } from '../../catalog/internal-calls.ts';
import { inOneLine } from '../../domain/printable.ts';
import { IN_WORDS, mistakesIn } from '../issue-words.ts';
import { obligationOf } from '../openapi/application-contract.ts';
import { pointerTo } from '../validation.ts';

/** A call without its method and path. */
export interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of a system that may answer anything; a check reads it after its schema has passed
export type Body = any;

export interface Answer {
  readonly status: number;
  /** Undefined when it is not JSON. */
  readonly body: Body | undefined;
}

/** The system breaks a rule. */
export class Deviation extends Error {
  override readonly name = 'Deviation';
}

/** A call that prepares the check failed. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
  /** Id of the call. */
  readonly needs: string;
  constructor(message: string, needs: string) {
    super(message);
    this.needs = needs;
  }
}

/** The system declines what prepares the check, and keeps no object of it. It breaks no rule. */
export class Declined extends NotChecked {}

/** The system does not offer the call. */
export class NotOffered extends Error {
  override readonly name = 'NotOffered';
}

/** The system did not answer in time, or not at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface BenchOptions {
  /** Makes a call of the system. @throws NoAnswer */
  readonly call: (api: ApiDefinition, input: Input, key: string) => Promise<Answer>;
  /** By name; null: the system has none. */
  readonly ids: Readonly<Record<string, string | null>>;
  readonly currency: string;
}

const definitions: ReadonlyMap<string, ApiDefinition> = new Map(
  ([...Object.values(apis), ...Object.values(internalCalls)] as readonly ApiDefinition[]).map((api) => [api.id, api]),
);

/** @throws Error for an id that the catalog does not have */
export function definitionOf(id: string): ApiDefinition {
  const api = definitions.get(id);
  if (!api) throw new Error(`The catalog has no call ${id}.`);
  return api;
}

const DECLINED = 402;

/** Statuses of a server without this path or method. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

export type Bench = ReturnType<typeof createBench>;

/** What a check works with: calls of one system, and expectations of its answers. */
export function createBench({ call: send, ids, currency }: BenchOptions) {
  const run = randomBytes(5).toString('hex');
  let count = 0;

  /** An id that is new, such as `ord_conform-3f2a-4`. */
  const unique = (prefix: string): string => `${prefix}conform-${run}-${++count}`;

  /** @param key default: a new one @throws NoAnswer */
  const call = (id: string, input: Input, key: string = unique('key-')): Promise<Answer> => send(definitionOf(id), input, key);

  /** Makes a call that prepares a check. @returns the body @throws NotChecked when the call fails or its answer has the wrong shape; NotOffered */
  async function prepare(id: string, input: Input): Promise<Body> {
    const answer = await call(id, input).catch((error: Error) => {
      throw new NotChecked(`${definitionOf(id).name}: ${error.message}`, id);
    });
    const api = definitionOf(id);
    if (obligationOf(api) === 'may' && isNotOffered(api, answer)) throw new NotOffered(`It does not offer ${api.name}.`);
    const trouble = successTrouble(api, answer);
    if (trouble !== undefined) throw answer.status === DECLINED ? new Declined(trouble, id) : new NotChecked(trouble, id);
    return answer.body;
  }

  return {
    unique,
    call,
    prepare,
    currency,
    money: (amount: number) => ({ amount, currency }),
    /** An id of the mapping, such as the token of a card. @throws NotOffered when the mapping has none */
    id(name: string): string {
      const found = ids[name];
      if (found === undefined || found === null) throw new NotOffered(`The mapping has no id for ${name}.`);
      return found;
    },
    /** @throws Deviation unless the call is refused with this status, or with any 4xx */
    async refused(id: string, input: Input, why: string, status?: number): Promise<Body> {
      const answer = await call(id, input);
      const fits = status === undefined ? answer.status >= 400 && answer.status < 500 : answer.status === status;
      if (!fits) throw new Deviation(`${why}: expected ${status ?? '4xx'}, got ${answer.status}.`);
      return answer.body;
    },
    /** @throws Deviation unless both are deeply equal */
    expect(what: string, actual: unknown, expected: unknown): void {
      if (isDeepStrictEqual(plain(actual), plain(expected))) return;
      throw new Deviation(
        `${what}: expected ${inOneLine(JSON.stringify(expected), 200)}, got ${inOneLine(JSON.stringify(actual) ?? 'nothing', 200)}.`,
      );
    },
  };
}

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** @returns a sentence, unless the answer is a success of the call in its shape */
export function successTrouble(api: ApiDefinition, answer: Answer): string | undefined {
  if (answer.status < 200 || answer.status > 299) return `${api.name}: expected ${api.status}, got ${answer.status}${reasonIn(answer)}.`;
  return shapeTrouble(api, answer);
}

const reasonIn = ({ body }: Answer): string => {
  const words = body?.detail ?? body?.message ?? body?.title;
  return typeof words === 'string' ? ` (${inOneLine(words.replace(/[.!]$/, ''), 160)})` : '';
};

/** @returns a sentence, unless the answer matches the schema of the call */
export function shapeTrouble(api: ApiDefinition, { status, body }: Answer): string | undefined {
  if (api.status === 204 || api.produces !== 'application/json') return undefined;
  if (body === undefined) return `${api.name} answers ${status} without JSON.`;
  const { error } = api.response.safeParse(body, IN_WORDS);
  if (!error) return undefined;
  const mistakes = [...mistakesIn(error.issues)].map(({ path, detail }) => `${pointerTo('body', path) || 'The answer'}: ${detail}`);
  return `${api.name}: ${mistakes.slice(0, 3).join(' ')}${mistakes.length > 3 ? ` And ${mistakes.length - 3} more.` : ''}`;
}

/**
 * Whether an answer to a valid call means that the system does not offer the call. If a required call answers the problem code not_found,
 * the call exists, and its object does not.
 */
export function isNotOffered(api: ApiDefinition, { status, body }: Answer): boolean {
  const isUnknownObject = status === 404 && obligationOf(api) === 'must' && body?.code === 'not_found';
  return NOT_OFFERED.has(status) && !isUnknownObject;
}
