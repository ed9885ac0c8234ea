import { z } from 'zod';
import { nearestWord } from '../domain/nearest-word.ts';
import { apis } from './apis.ts';
import { type Application, applicationNames } from './applications.ts';
import type { ApiDefinition } from './define.ts';
import { internalCalls } from './internal-calls.ts';

/** The applications that the real system of a retailer can replace. `promised`: the project supports the swap. `possible`: it may work. */
export const swappable = {
  'payment-hub': 'promised',
  'promotion-engine': 'promised',
  'loyalty-platform': 'promised',
  'carrier-platform': 'promised',
  crm: 'promised',
  'clienteling-app': 'promised',
  'inventory-service': 'possible',
  wms: 'possible',
  pos: 'possible',
  'ecommerce-platform': 'possible',
} as const satisfies Partial<Record<Application, 'promised' | 'possible'>>;

export type SwappableApplication = keyof typeof swappable;

export const swappableNames = Object.keys(swappable) as readonly SwappableApplication[];

export const isSwappable = (name: string): name is SwappableApplication => Object.hasOwn(swappable, name);

/** Why an application cannot be swapped. */
export function whyNotSwappable(name: string): string {
  const known = applicationNames.some((application) => application === name);
  const others = `These can be: ${swappableNames.join(', ')}.`;
  return known
    ? `${name} cannot be swapped: the other applications depend on work that it does later. ${others}`
    : `The application ${name} does not exist. ${others}`;
}

/**
 * `real`: the real system answers. `shadow`: ours answers, and the real system gets the same calls. `kept`: earlier answers of the real
 * system are used.
 */
export const SwapMode = z.enum(['real', 'shadow', 'kept']).meta({ id: 'SwapMode' });
export type SwapMode = z.output<typeof SwapMode>;

/** Headers that the estate sets itself, and headers of the connection. */
const RESERVED_HEADER =
  /^(?:x-(?:rehearsal|rehearsal-now|correlation-id|calling-application|estate-.*)|traceparent|idempotency-key|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|accept-encoding)$/i;

/** A check that runs even if other checks have failed, so that an answer names all mistakes. */
const ALWAYS = { when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null };

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const INVALID_HEADER = { code: 'custom', params: { code: 'invalid_header' } } as const;
/** Limit of configured headers. */
const MOST_HEADERS = 20;
const HeaderValue = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, 'This must be visible ASCII, without blanks at its ends.');

/** What is wrong with the address of a real system. */
function faultOf(text: string): string | undefined {
  const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(text) ?? [];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return `The port ${port} does not exist: use one from 1 to 65535.`;
  const url = /^https?:\/\/\S+$/i.test(text) ? URL.parse(text) : null;
  if (!url) return 'This must be an address like https://hub.example.test.';
  const isPlain = [url.username, url.password, url.search, url.hash].every((part) => part === '');
  return isPlain ? undefined : 'The address must have no user, password, query or fragment.';
}

const OutsideUrl = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    const message = faultOf(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message, params: { code: 'invalid_address' } });
  })
  .meta({ format: 'uri' })
  .transform((url) => url.replace(/\/+$/, ''));

const Part = z.record(z.string(), z.unknown()).optional();

/** An answer of a real system, as a file keeps it. */
export const KeptAnswer = z.strictObject({
  request: z.strictObject({ params: Part, query: Part, body: z.unknown().optional() }),
  status: z.int().min(200).max(599),
  answer: z.unknown(),
});

/** Maximum number of answers that a world keeps, and of answers per operation in a swap. */
export const MOST_KEPT = 1_000;
export const KeptAnswers = z
  .record(z.string().max(100), z.array(KeptAnswer).max(MOST_KEPT))
  .describe('Answers by operation. In texts, {id 1} is the first id of the request that the estate made, and {now+60000} an instant.');
export type KeptAnswers = z.output<typeof KeptAnswers>;

export const SwapMembers = z.strictObject({
  url: OutsideUrl.optional().describe(
    'Address of the real system; the mode kept has none. The path of each call follows it. OUTBOUND_ALLOW must permit it.',
  ),
  mode: SwapMode.default('real').describe(
    'real: the real system answers. shadow: ours answers, the real system gets the same calls, and differences are recorded. kept: answers that were kept earlier.',
  ),
  keep: z.boolean().default(false).describe('Keeps the answers of the real system, for GET /_control/answers/{application}.'),
  answers: KeptAnswers.optional().describe('In the mode kept: the answers, as GET /_control/answers/{application} gave them.'),
  headers: z
    .record(z.string(), HeaderValue)
    .superRefine((headers, context) => {
      const refuse = (message: string, path: string[] = []): void => context.addIssue({ ...INVALID_HEADER, path, message });
      const names = Object.keys(headers);
      if (names.length > MOST_HEADERS) refuse(`At most ${MOST_HEADERS} headers are possible.`);
      for (const name of names) {
        if (!HEADER_NAME.test(name)) refuse('This is not the name of a header.', [name]);
        if (RESERVED_HEADER.test(name)) refuse('The estate sets this header itself.', [name]);
        const same = names.find((other) => other.toLowerCase() === name.toLowerCase());
        if (same !== name) refuse(`This is the same header as ${same}: keep one of them.`, [name]);
      }
    }, ALWAYS)
    .default({})
    .describe('Headers of each call, such as the credential of the real system. No answer and no record shows their values.'),
  timeoutMs: z
    .int()
    .min(50)
    .max(10_000)
    .default(5_000)
    .describe('Wall time limit of an answer, at most the remaining time of the request.'),
  events: z
    .enum(['post', 'none'])
    .default('post')
    .describe('post: the events that the application consumes go to {url}/events. none: the real system gets them in another way.'),
  shadow: z
    .enum(['all', 'reads'])
    .default('all')
    .describe('In the mode shadow. all: queries, commands and events go to the real system, too. reads: only queries.'),
  compare: z
    .array(z.string().min(1).max(100))
    .max(50)
    .default([])
    .describe('In the mode shadow: names of members whose texts and times are compared, too.'),
});

/** Members that only some modes use, with these modes. */
const USED_IN: readonly (readonly [member: keyof typeof SwapMembers.shape, modes: readonly SwapMode[], remedy: string])[] = [
  ['url', ['real', 'shadow'], 'In the mode kept, no real system is called: leave the address out.'],
  ['keep', ['real', 'shadow'], 'In the mode kept, no real system answers: leave this out.'],
  ['headers', ['real', 'shadow'], 'In the mode kept, no real system is called: leave the headers out.'],
  ['timeoutMs', ['real', 'shadow'], 'The mode kept calls no real system: leave this out.'],
  ['events', ['real', 'shadow'], 'In the mode kept, no real system gets events: leave this out.'],
  ['answers', ['kept'], 'Only the mode kept has answers: choose it, or leave them out.'],
  ['shadow', ['shadow'], 'Only the mode shadow has this: choose it, or leave this out.'],
  ['compare', ['shadow'], 'Only the mode shadow compares: choose it, or leave this out.'],
];

/** A default counts as left out. */
const isGiven = (member: keyof typeof SwapMembers.shape, value: unknown): boolean => {
  const preset = SwapMembers.shape[member].safeParse(undefined).data;
  return value !== undefined && JSON.stringify(value) !== JSON.stringify(preset);
};

/** How the real system of a retailer takes the place of an application. */
export const Swap = SwapMembers.superRefine((swap, context) => {
  const { mode, url, answers } = swap;
  if (!SwapMode.safeParse(mode).success) return;
  const refuse = (member: string, message: string, code = 'not_together'): void =>
    void context.addIssue({ code: 'custom', path: [member], message, params: { code } });
  for (const [member, modes, remedy] of USED_IN) {
    if (isGiven(member, swap[member]) && !modes.includes(mode)) refuse(member, remedy);
  }
  if (mode === 'kept' && answers === undefined) refuse('answers', 'Give the answers that were kept.', 'required');
  if (mode !== 'kept' && url === undefined) refuse('url', 'Give the address of the real system.', 'required');
}, ALWAYS).meta({ id: 'Swap' });
export type Swap = z.output<typeof Swap>;

const { url, mode, keep, answers, headers, timeoutMs, events, shadow, compare } = SwapMembers.shape;

/** What a reset changes of a swap. A member without a value keeps the one that it has. */
const SwapChange = z
  .strictObject({
    ...{ url, answers },
    mode: mode.unwrap().optional(),
    keep: keep.unwrap().optional(),
    headers: headers.unwrap().optional(),
    timeoutMs: timeoutMs.unwrap().optional(),
    events: events.unwrap().optional(),
    shadow: shadow.unwrap().optional(),
    compare: compare.unwrap().optional(),
  })
  .meta({ id: 'SwapChange' });
export type SwapChange = z.output<typeof SwapChange>;

/**
 * A swap after a change. Members that its mode does not have are left out, and headers stay only with their address: another system must
 * not get the credential.
 */
export function changedSwap(swap: Swap | undefined, change: SwapChange): Partial<Swap> {
  const isElsewhere = change.url !== undefined && change.url !== swap?.url;
  const { headers: _headers, ...rest } = swap ?? {};
  const next = { ...(isElsewhere ? rest : swap), ...change };
  const unused = USED_IN.flatMap(([member, modes]) =>
    modes.includes(next.mode ?? 'real') || change[member] !== undefined ? [] : [member],
  );
  return Object.fromEntries(Object.entries(next).filter(([name]) => !unused.some((member) => member === name)));
}

const operationsOf = (application: string): readonly ApiDefinition[] =>
  [...Object.values(apis), ...Object.values(internalCalls)].filter((one) => one.application === application);

/** The names of the members in a schema. */
function* membersIn(schema: z.core.$ZodType): Generator<string, void> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    yield* membersIn(schema.unwrap());
  else if (schema instanceof z.ZodArray) yield* membersIn(schema.element);
  else if (schema instanceof z.ZodRecord) yield* membersIn(schema.valueType);
  else if (schema instanceof z.ZodUnion) for (const option of schema.options) yield* membersIn(option);
  else if (schema instanceof z.ZodObject) {
    for (const [name, member] of Object.entries<z.core.$ZodType>(schema.shape)) {
      yield name;
      yield* membersIn(member);
    }
  }
}

function remedyFor(given: string, known: readonly string[]): string {
  const nearest = nearestWord(given, known);
  return nearest === undefined ? 'Correct it, or leave it out.' : `Did you mean ${nearest}?`;
}

/** The names in a swap that its application does not have. */
export function* unknownNames(
  application: string,
  swap: unknown,
): Generator<{ readonly path: (string | number)[]; readonly message: string; readonly code: string }, void> {
  const { answers, compare } = (swap ?? {}) as { readonly answers?: unknown; readonly compare?: unknown };
  const operations = operationsOf(application);
  const ids = operations.map(({ id }) => id);
  for (const id of typeof answers === 'object' && answers !== null ? Object.keys(answers) : []) {
    if (ids.includes(id)) continue;
    const message = `${application} has no operation ${id}. ${remedyFor(id, ids)}`;
    yield { path: ['answers', id], message, code: 'unknown_operation' };
  }
  const members = [...new Set(operations.flatMap(({ response }) => [...membersIn(response)]))];
  for (const [index, name] of (Array.isArray(compare) ? compare : []).entries()) {
    if (typeof name !== 'string' || members.includes(name)) continue;
    const message = `No answer of ${application} has a member ${name}. ${remedyFor(name, members)}`;
    yield { path: ['compare', index], message, code: 'unknown_name' };
  }
}

const swapEach = <T extends z.ZodType>(schema: T) =>
  z
    .object(Object.fromEntries(swappableNames.map((name) => [name, schema.optional()])) as Record<SwappableApplication, z.ZodOptional<T>>)
    .catchall(
      z.unknown().refine(() => false, { error: ({ path }) => whyNotSwappable(String(path?.at(-1))), params: { code: 'not_swappable' } }),
    );

/** By application: what a reset changes of its swap; null ends the swap. */
export const SwapChanges = swapEach(SwapChange.nullable()).meta({ id: 'SwapChanges' });
export type SwapChanges = { readonly [App in SwappableApplication]?: SwapChange | null };

/** The swapped applications of a rehearsal. */
export const Swaps = swapEach(Swap)
  .superRefine((swaps, context) => {
    for (const [application, swap] of Object.entries(swaps)) {
      for (const { path, message, code } of isSwappable(application) ? unknownNames(application, swap) : []) {
        context.addIssue({ code: 'custom', path: [application, ...path], message, params: { code } });
      }
    }
  }, ALWAYS)
  .meta({ id: 'Swaps' });
export type Swaps = { readonly [App in SwappableApplication]?: Swap };
