import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import {
  type Checked,
  checked,
  collectIn,
  type FixtureError,
  folderName,
  mistakeIn,
  readJson,
  refuseAll,
  together,
} from '../../../fixtures/checked-file.ts';
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
export type AuthorizationFixture = z.output<typeof authorizationFixtures>[number];

export interface TouchpointFixtures {
  readonly cases: readonly CaseFixture[];
  readonly authorization: readonly AuthorizationFixture[];
}

const AUTHORIZATIONS = ['valid', 'missing', 'wrong-scheme', 'wrong-key', 'other-store', 'revoked', 'wrong-lane'] as const;

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
    error: `This must list exactly ${AUTHORIZATIONS.join(', ')}, in this order.`,
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
 * @param directory the fixtures folder, as a URL that ends in a slash; the project's own by default
 * @throws FixtureError with a line for each mistake
 */
export async function loadTouchpointFixtures(directory: URL = FIXTURES): Promise<TouchpointFixtures> {
  const authorization = loadAuthorization(directory);
  const cases = CASES.map((entry) => loadCase(directory, entry));
  const mistakes: FixtureError[] = [];
  for (const outcome of await Promise.allSettled([refuseStrayFiles(directory), ...cases, authorization]))
    if (outcome.status === 'rejected') collectIn(mistakes)(outcome.reason);
  refuseAll(mistakes, folderName(directory));
  return { cases: await Promise.all(cases), authorization: await authorization };
}

async function loadAuthorization(directory: URL): Promise<readonly AuthorizationFixture[]> {
  const file = 'touchpoint-authorization.json';
  return valid(checked(authorizationFixtures, readJson(directory, file), { file }));
}

async function loadCase(directory: URL, entry: { name: CaseName; alias: Alias }): Promise<CaseFixture> {
  const file = `touchpoint/${entry.name}.json`;
  const fixture = checked(caseSchema(entry), readJson(directory, file), { file });
  const { headers = {}, ...rest } = valid(fixture);
  const message = RESPONSES_OF[entry.alias][rest.status];
  if (message === undefined) throw mistakeIn(file, ['status'], `this is not one that ${entry.alias} answers`);
  valid(checked<unknown>(MESSAGES[message], rest.response, { file, below: ['response'] }));
  return { ...rest, headers };
}

/** @throws FixtureError with all mistakes of a value */
function valid<Value>({ value, mistakes }: Checked<Value>): Value {
  if (mistakes.length > 0) throw together(mistakes);
  return value;
}

/** A misspelt file name is refused, because an edit of that file would have no effect. */
async function refuseStrayFiles(directory: URL): Promise<void> {
  const expected = new Set(CASES.map(({ name }) => `${name}.json`));
  const found = await readdir(new URL('touchpoint/', directory)).catch(() => {
    throw mistakeIn('touchpoint', [], 'this folder is missing; copy it from the fixtures of the project');
  });
  const stray = found.filter((name) => name.endsWith('.json') && !expected.has(name));
  if (stray.length > 0) throw together(stray.map((name) => mistakeIn(`touchpoint/${name}`, [], 'it belongs to no case of the contract')));
}

/** An authorization fixture with the configured key and lane filled in. */
export function resolveAuthorization(
  fixture: AuthorizationFixture,
  { storeKey, lanes }: { storeKey: string; lanes: readonly string[] },
): AuthorizationFixture {
  return {
    ...fixture,
    authorization: fixture.authorization?.replace('{storeKey}', () => storeKey) ?? null,
    touchpointId: fixture.touchpointId.replace('{lane}', () => lanes[0] ?? ''),
  };
}
