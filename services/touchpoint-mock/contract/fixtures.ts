import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type Alias, CASES, type CaseName } from './cases.ts';
import { MESSAGES, REQUEST_OF, RESPONSES_OF } from './messages.ts';

/** One case of the contract: an example request and its fixed response. */
export interface CaseFixture {
  readonly case: CaseName;
  readonly alias: Alias;
  readonly title: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly response: Readonly<Record<string, unknown>>;
}

/** One way of authorisation. `{storeKey}` and `{lane}` stand for the configured key and the first configured lane. */
export interface AuthorizationFixture {
  readonly name: (typeof AUTHORIZATIONS)[number];
  readonly title: string;
  readonly authorization: string | null;
  readonly touchpointId: string;
  readonly authorized: boolean;
}

export interface TouchpointFixtures {
  readonly cases: readonly CaseFixture[];
  readonly authorization: readonly AuthorizationFixture[];
}

export const AUTHORIZATIONS = ['valid', 'missing', 'wrong-scheme', 'wrong-key', 'other-store', 'revoked', 'wrong-lane'] as const;

const FIXTURES = new URL('../../../fixtures/', import.meta.url);

const authorizationFixtures = z
  .array(
    z.strictObject({
      name: z.enum(AUTHORIZATIONS),
      title: z.string().min(1),
      authorization: z.string().nullable(),
      touchpointId: z.string().min(1),
      authorized: z.boolean(),
    }),
  )
  .refine((all) => AUTHORIZATIONS.every((name, index) => all[index]?.name === name) && all.length === AUTHORIZATIONS.length, {
    error: `must list exactly ${AUTHORIZATIONS.join(', ')}, in this order`,
  });

function caseSchema({ name, alias }: { name: CaseName; alias: Alias }) {
  return z.strictObject({
    case: z.literal(name),
    alias: z.literal(alias),
    title: z.string().min(1),
    request: MESSAGES[REQUEST_OF[alias]],
    status: z.union(Object.keys(RESPONSES_OF[alias]).map((status) => z.literal(Number(status)))),
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[\x20-\x7e]+$/)).optional(),
    response: z.record(z.string(), z.unknown()),
  });
}

/**
 * Reads and checks the 21 cases and the seven authorization fixtures.
 *
 * @param directory the fixtures folder, as a URL that ends in a slash; the project's own by default
 * @throws Error in one sentence with the file and the JSON pointer of the first mistake
 */
export async function loadTouchpointFixtures(directory: URL = FIXTURES): Promise<TouchpointFixtures> {
  await refuseStrayFiles(directory);
  const cases = await Promise.all(CASES.map((entry) => loadCase(directory, entry)));
  const file = 'touchpoint-authorization.json';
  const authorization = check({ file, schema: authorizationFixtures, value: await readJson(directory, file) });
  return { cases, authorization };
}

async function loadCase(directory: URL, entry: { name: CaseName; alias: Alias }): Promise<CaseFixture> {
  const file = `touchpoint/${entry.name}.json`;
  const value = await readJson(directory, file);
  const fixture = check({ file, schema: caseSchema(entry), value });
  const message = RESPONSES_OF[entry.alias][fixture.status];
  if (message === undefined) throw new Error(`fixtures/${file} cannot be used: /status is not one that ${entry.alias} answers.`);
  check<unknown>({ file, schema: MESSAGES[message], value: fixture.response, below: ['response'] });
  return { ...fixture, headers: fixture.headers ?? {} };
}

async function readJson(directory: URL, file: string): Promise<unknown> {
  const text = await readFile(new URL(file, directory), 'utf8').catch((error: Error) => {
    throw new Error(`fixtures/${file} cannot be read: ${error.message}.`, { cause: error });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`fixtures/${file} cannot be used: / is not JSON (${error instanceof Error ? error.message : String(error)}).`, {
      cause: error,
    });
  }
}

function check<T>({
  file,
  schema,
  value,
  below = [],
}: {
  file: string;
  schema: z.ZodType<T>;
  value: unknown;
  below?: readonly string[];
}): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const pointer = [...below, ...(issue?.path ?? [])].map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  throw new Error(`fixtures/${file} cannot be used: ${pointer || '/'} – ${issue?.message ?? 'does not fit'}.`);
}

/** A misspelt file name is refused, since an edit of that file would have no effect. */
async function refuseStrayFiles(directory: URL): Promise<void> {
  const expected = new Set(CASES.map(({ name }) => `${name}.json`));
  const found = await readdir(new URL('touchpoint/', directory)).catch((error: Error) => {
    throw new Error(`fixtures/touchpoint cannot be read: ${error.message}.`, { cause: error });
  });
  const stray = found.find((name) => name.endsWith('.json') && !expected.has(name));
  if (stray !== undefined) throw new Error(`fixtures/touchpoint/${stray} cannot be used: / belongs to no case of the contract.`);
}

/** An authorization fixture with the configured key and lane filled in. */
export function resolveAuthorization(
  fixture: AuthorizationFixture,
  { storeKey, lanes }: { readonly storeKey: string; readonly lanes: readonly string[] },
): AuthorizationFixture {
  return {
    ...fixture,
    authorization: fixture.authorization?.replace('{storeKey}', () => storeKey) ?? null,
    touchpointId: fixture.touchpointId.replace('{lane}', () => lanes[0] ?? ''),
  };
}
