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

/** `real`: the real system answers. `shadow`: ours answers, and the real system gets the same calls. */
export const SwapMode = z.enum(['real', 'shadow']).meta({ id: 'SwapMode' });
export type SwapMode = z.output<typeof SwapMode>;

/** Headers that the estate sets itself, and headers of the connection. */
const RESERVED_HEADER =
  /^(?:x-(?:rehearsal|rehearsal-now|correlation-id|calling-application|estate-.*)|traceparent|idempotency-key|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|content-type|accept-encoding)$/i;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Most configured headers. */
const MOST_HEADERS = 20;
const HeaderValue = z
  .string()
  .min(1)
  .max(8_000)
  .regex(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/, 'This must be visible ASCII, without blanks at its ends.');

const OutsideUrl = z
  .url({ protocol: /^https?$/, error: 'This must be an address like https://hub.example.test.' })
  .max(2_000)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '');
  }, 'The address must have no user, password, query or fragment.')
  .transform((url) => url.replace(/\/+$/, ''));

/** How the real system of a retailer takes the place of an application. */
export const Swap = z
  .strictObject({
    url: OutsideUrl.describe('Address of the real system. The path of each call follows it. OUTBOUND_ALLOW must permit it.'),
    mode: SwapMode.default('real').describe(
      'real: the real system answers. shadow: ours answers, the real system gets the same calls beside it, and differences are recorded.',
    ),
    headers: z
      .record(z.string(), HeaderValue)
      .superRefine((headers, context) => {
        const names = Object.keys(headers);
        if (names.length > MOST_HEADERS) context.addIssue({ code: 'custom', message: `At most ${MOST_HEADERS} headers are possible.` });
        for (const name of names) {
          if (!HEADER_NAME.test(name)) context.addIssue({ code: 'custom', path: [name], message: 'This is not the name of a header.' });
          if (RESERVED_HEADER.test(name))
            context.addIssue({ code: 'custom', path: [name], message: 'The estate sets this header itself.' });
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
  })
  .meta({ id: 'Swap' });
export type Swap = z.output<typeof Swap>;

/** The swapped applications of a rehearsal. */
export const Swaps = z
  .object(
    Object.fromEntries(swappableNames.map((name) => [name, Swap.optional()])) as Record<SwappableApplication, z.ZodOptional<typeof Swap>>,
  )
  .catchall(z.unknown().refine(() => false, { error: ({ path }) => whyNot(String(path?.at(-1))), params: { code: 'not_swappable' } }))
  .meta({ id: 'Swaps' });
export type Swaps = { readonly [App in SwappableApplication]?: Swap };
