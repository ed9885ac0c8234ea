import { z } from 'zod';
import { durationMs } from '../../domain/duration.ts';
import { apis } from '../apis.ts';
import { applicationNames } from '../applications.ts';
import { TYPE_PREFIX } from '../event-names.ts';
import { allEvents } from '../events.ts';
import { TrackingStatus } from '../fulfillment/shipments.ts';
import { internalCalls } from '../internal-calls.ts';

const LONGEST_MS = durationMs('P3650D');
/** On the rehearsal's clock. */
const Duration = z
  .string()
  .max(64)
  .refine(isPositiveDuration, 'This is not a duration such as PT10M or P2D, longer than nothing and at most P3650D.')
  .meta({ format: 'duration' });

function isPositiveDuration(text: string): boolean {
  try {
    const ms = durationMs(text);
    return ms > 0 && ms <= LONGEST_MS;
  } catch {
    return false;
  }
}

/** What can be made to go wrong. Which kinds a call, an event and a webhook know: `faultKinds`. */
export const Fault = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('latency'), ms: z.int().min(1).max(60_000) }),
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599), code: z.string().max(64).optional() }),
  z.strictObject({ kind: z.literal('outage') }),
  /** The connection breaks before anything is done. */
  z.strictObject({ kind: z.literal('drop') }),
  /** The handler does its work and commits; then the answer is lost: a 504, or a destroyed socket. */
  z.strictObject({ kind: z.literal('lost-response'), as: z.enum(['timeout', 'reset']).default('timeout') }),
  /** Parks requests until `parties` have arrived, then lets them go together. */
  z.strictObject({ kind: z.literal('barrier'), parties: z.int().min(2).max(1_000) }),
  /** It comes `copies` times more, each under the same id. */
  z.strictObject({ kind: z.literal('duplicate'), copies: z.int().min(1).max(20).default(1) }),
  z.strictObject({ kind: z.literal('late'), by: Duration }),
  /** It comes after the next one about the same object; if there is none `within` that time, it comes then. */
  z.strictObject({ kind: z.literal('reorder'), within: Duration.default('P1D') }),
  /** It comes when the fault is deleted. */
  z.strictObject({ kind: z.literal('withhold') }),
  z.strictObject({ kind: z.literal('bad-signature') }),
  /** It is signed for an instant six minutes ago, one more than receivers tolerate. */
  z.strictObject({ kind: z.literal('stale-timestamp') }),
]);
export type Fault = z.output<typeof Fault>;

const late = ['duplicate', 'late', 'reorder', 'withhold'] as const;

/** What each kind of target can suffer. */
export const faultKinds = {
  call: ['latency', 'status', 'outage', 'drop', 'lost-response', 'barrier'],
  event: late,
  webhook: [...late, 'bad-signature', 'stale-timestamp'],
} as const satisfies Record<string, readonly Fault['kind'][]>;

/** Of a fault. */
export const FaultName = z
  .string()
  .max(64)
  .regex(/^\.*[A-Za-z0-9_-][A-Za-z0-9._-]*$/);

/** Of any event, with or without its prefix. Which there are, the OpenAPI document says; a refusal lists them too. */
export const EventType = z
  .string()
  .min(1)
  .max(120)
  .meta({
    pattern: `^(?:${TYPE_PREFIX.replaceAll('.', '\\.')})?(?:${allEvents.map(({ name }) => name.replaceAll('.', '\\.')).join('|')})$`,
    description: 'With or without its prefix: payment-authorized, ext.order-changed.',
  });

const Match = z.strictObject({
  application: z.enum(applicationNames as [string, ...string[]]).optional(),
  api: z
    .string()
    .max(80)
    .meta({ enum: [...Object.keys(apis), ...Object.keys(internalCalls)], description: 'Of the application, if one is named too.' })
    .optional(),
  event: EventType.optional(),
  subject: z.string().max(160).optional().describe('Of an event: order/ord_….'),
  webhook: z.enum(['carrier']).optional(),
  status: TrackingStatus.optional().describe('Of a carrier’s webhook: what was scanned.'),
});

export type Match = z.output<typeof Match>;

/** By which members each kind of target is named, one at least, and which it may have besides. */
const TARGETS = {
  call: { by: ['application', 'api'], besides: [] },
  event: { by: ['event'], besides: ['subject'] },
  webhook: { by: ['webhook'], besides: ['status'] },
} as const satisfies Record<keyof typeof faultKinds, { by: readonly (keyof Match)[]; besides: readonly (keyof Match)[] }>;
const TARGET_NAMES = Object.keys(TARGETS) as (keyof typeof TARGETS)[];

export const targetsOf = (match: Match): (keyof typeof TARGETS)[] =>
  TARGET_NAMES.filter((name) => TARGETS[name].by.some((member) => match[member] !== undefined));

/** The rules below for readers of the OpenAPI document. */
const RULES = {
  anyOf: TARGET_NAMES.map((name) => {
    const { by, besides } = TARGETS[name];
    const own: readonly string[] = [...by, ...besides];
    const members = Object.keys(Match.shape).map((member) => [member, own.includes(member) ? {} : { not: {} }]);
    return {
      properties: {
        match: {
          properties: Object.fromEntries(members),
          ...(by.length === 1 ? { required: by } : { anyOf: by.map((member) => ({ required: [member] })) }),
        },
        fault: { properties: { kind: { enum: faultKinds[name] } } },
      },
    };
  }),
  dependentRequired: { probability: ['seed'], seed: ['probability'] },
};

export const FaultInput = z
  .strictObject({
    match: Match,
    fault: Fault,
    times: z.int().min(1).max(1_000_000).optional().describe('How often it strikes; without it, as long as it stands.'),
    probability: z.number().gt(0).max(1).optional().describe('How likely it strikes each time; needs a seed.'),
    seed: z.string().min(1).max(64).optional().describe('The same seed gives the same sequence of strikes.'),
  })
  .superRefine(({ match, fault, probability, seed }, context) => {
    const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    const [target, ...others] = targetsOf(match);
    if (target === undefined) refuse(['match'], 'Name an application, an api, an event or a webhook.');
    else if (others.length > 0) refuse(['match'], 'A fault strikes calls (application, api), events or webhooks: name one of them.');
    else if (!(faultKinds[target] as readonly string[]).includes(fault.kind)) {
      refuse(['fault', 'kind'], `A ${target} does not know the fault ${fault.kind}; there are ${faultKinds[target].join(', ')}.`);
    }
    if (match.subject !== undefined && match.event === undefined) refuse(['match', 'subject'], 'Only events have a subject: name one.');
    if (match.status !== undefined && match.webhook === undefined) refuse(['match', 'status'], 'Only webhooks have a status: name one.');
    if (probability !== undefined && seed === undefined)
      refuse(['seed'], 'A probability needs a seed, so that the rehearsal can be repeated.');
    if (seed !== undefined && probability === undefined) refuse(['probability'], 'A seed is for a probability: say which.');
  })
  .meta(RULES);
export type FaultInput = z.output<typeof FaultInput>;
