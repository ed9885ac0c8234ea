import { z } from 'zod';
import { type Application, applicationNames } from './applications.ts';

/** The real system of a retailer may answer in place of these applications. For the possible ones, nothing is promised. */
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
function whyNot(name: string): string {
  const known = applicationNames.some((application) => application === name);
  const others = `These can be: ${swappableNames.join(', ')}.`;
  return known
    ? `${name} cannot be swapped: the other applications count on work that it owes them later. ${others}`
    : `There is no application ${name}. ${others}`;
}

/** `real`: the real system answers. `shadow`: ours answers, and the real system gets the same calls. `kept`: its earlier answers are used. */
export const SwapMode = z.enum(['real', 'shadow', 'kept']).meta({ id: 'SwapMode' });
export type SwapMode = z.output<typeof SwapMode>;

/** Headers that the estate sets itself, and headers of the connection. */
const RESERVED_HEADER =
  /^(?:x-(?:rehearsal|rehearsal-now|correlation-id|calling-application|estate-.*)|traceparent|idempotency-key|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|accept-encoding)$/i;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const INVALID_HEADER = { code: 'custom', params: { code: 'invalid_header' } } as const;
/** Limit of configured headers. */
const MOST_HEADERS = 20;
const HeaderValue = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, 'This must be visible ASCII, without blanks at its ends.');

const OutsideUrl = z
  .url({ protocol: /^https?$/, error: 'This must be an address like https://hub.example.test.' })
  .max(2_000)
  .refine(
    (text) => {
      const url = URL.parse(text);
      return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
    },
    { error: 'The address must have no user, password, query or fragment.', params: { code: 'no_address' } },
  )
  .transform((url) => url.replace(/\/+$/, ''));

const Part = z.record(z.string(), z.unknown()).optional();

/** An answer of a real system, as a file keeps it. */
export const KeptAnswer = z.strictObject({
  request: z.strictObject({ params: Part, query: Part, body: z.unknown().optional() }),
  status: z.int().min(200).max(599),
  answer: z.unknown(),
});

/** Limit of the answers that a world keeps, and of the answers per operation in a swap. */
export const MOST_KEPT = 1_000;
export const KeptAnswers = z
  .record(z.string().max(100), z.array(KeptAnswer).max(MOST_KEPT))
  .describe('Answers by operation. In texts, {id 1} is the first id of the request that the estate made, and {now+60000} an instant.');
export type KeptAnswers = z.output<typeof KeptAnswers>;

/** The members of a swap. */
export const SwapMembers = z.strictObject({
  url: OutsideUrl.optional().describe(
    'Address of the real system; the mode kept has none. The path of each call follows it. OUTBOUND_ALLOW must permit it.',
  ),
  mode: SwapMode.default('real').describe(
    'real: the real system answers. shadow: ours answers, the real system gets the same calls beside it, and differences are recorded. kept: answers that were kept earlier.',
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
      }
    })
    .default({})
    .describe('Headers of each call, such as the credential of the real system. No answer and no record shows their values.'),
  timeoutMs: z.int().min(50).max(10_000).default(5_000).describe('Wall time limit of an answer, at most what the request has left.'),
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

/** How the real system of a retailer takes the place of an application. */
export const Swap = SwapMembers.superRefine(({ mode, url, answers, keep }, context) => {
  const refuse = (member: string, message: string): void =>
    void context.addIssue({ code: 'custom', path: [member], message, params: { code: 'not_together' } });
  if (mode === 'kept' && url !== undefined) refuse('url', 'In the mode kept, no real system is called: leave the address out.');
  if (mode === 'kept' && keep) refuse('keep', 'In the mode kept, no real system answers: leave this out.');
  if (mode === 'kept' && answers === undefined) refuse('answers', 'Give the answers that were kept.');
  if (mode !== 'kept' && url === undefined) refuse('url', 'Give the address of the real system.');
  if (mode !== 'kept' && answers !== undefined) refuse('answers', 'Only the mode kept has answers: choose it, or leave them out.');
}).meta({ id: 'Swap' });
export type Swap = z.output<typeof Swap>;

/** The swapped applications of a rehearsal. */
export const Swaps = z
  .object(
    Object.fromEntries(swappableNames.map((name) => [name, Swap.optional()])) as Record<SwappableApplication, z.ZodOptional<typeof Swap>>,
  )
  .catchall(z.unknown().refine(() => false, { error: ({ path }) => whyNot(String(path?.at(-1))), params: { code: 'not_swappable' } }))
  .meta({ id: 'Swaps' });
export type Swaps = { readonly [App in SwappableApplication]?: Swap };
