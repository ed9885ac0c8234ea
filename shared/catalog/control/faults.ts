import { z } from 'zod';
import { apis } from '../apis.ts';
import { type Application, applicationNames } from '../applications.ts';
import type { ApiDefinition } from '../define.ts';
import { Duration } from '../duration.ts';
import { TYPE_PREFIX } from '../event-names.ts';
import { allEvents } from '../events.ts';
import { mayCall } from '../flows.ts';
import { TrackingStatus } from '../fulfillment/shipments.ts';
import { internalCalls } from '../internal-calls.ts';
import { anyRequired, nameOf } from '../shapes.ts';
import { FORBIDDEN, PERMITTED } from './drift.ts';
import { CARRIER, SenderName } from './webhooks.ts';

/** All kinds of faults. `faultKinds` lists which apply to each target. */
export const Fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('latency').describe('What happens.'),
    ms: z.int().min(1).max(60_000).describe('Delay in milliseconds of wall time.'),
  }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599).describe('Status of the answer.'),
    code: z.string().max(64).optional().describe('Code in the body of the problem.'),
  }),
  z.strictObject({ kind: z.literal('outage') }),
  /** The connection breaks before the handler runs. */
  z.strictObject({ kind: z.literal('drop') }),
  /** The handler commits, then its answer is lost: the caller gets a 504, a reset connection, or half of the answer. */
  z.strictObject({
    kind: z.literal('lost-response'),
    as: z
      .enum(['timeout', 'reset', 'half'])
      .default('timeout')
      .describe(
        'The caller gets a 504 (timeout), a broken connection (reset), or half of the body and then a broken connection (half). Applications get no half: for them it is a reset.',
      ),
  }),
  /** Requests wait until `parties` of them have arrived, then run together. */
  z.strictObject({ kind: z.literal('barrier'), parties: z.int().min(2).max(1_000).describe('Requests that wait for each other.') }),
  /** The access token of a client expires before the call, with all that were fetched before in the rehearsal. */
  z.strictObject({ kind: z.literal('expired-token') }),
  /** `copies` more deliveries with the same id. */
  z.strictObject({ kind: z.literal('duplicate'), copies: z.int().min(1).max(20).default(1).describe('Further deliveries.') }),
  z.strictObject({ kind: z.literal('late'), by: Duration.describe('Delay on the rehearsal’s clock.') }),
  /** Sent after the next one about the same object, or after the time `within`. */
  z.strictObject({
    kind: z.literal('reorder'),
    within: Duration.default('P1D').describe('Time on the rehearsal’s clock after which the event is sent even if none follows.'),
  }),
  /** Sent when the fault is deleted. */
  z.strictObject({ kind: z.literal('withhold') }),
  z.strictObject({ kind: z.literal('bad-signature') }),
  /** The signed timestamp is six minutes old, one minute more than receivers tolerate. */
  z.strictObject({ kind: z.literal('stale-timestamp') }),
  /** Clients get what a minor release of the provider may bring. Applications get the original. */
  z.strictObject({ kind: z.literal('permitted'), change: z.enum(PERMITTED).describe('What clients get in place of the original.') }),
  /** Clients get what no contract permits. Applications get the original. */
  z.strictObject({ kind: z.literal('forbidden'), change: z.enum(FORBIDDEN).describe('What clients get in place of the original.') }),
]);
export type Fault = z.output<typeof Fault>;

/** A fault that changes what clients get, and nothing within the estate. */
export type ChangingFault = Extract<Fault, { readonly change: unknown }>;

export const isChanging = (fault: Fault): fault is ChangingFault => 'change' in fault;

/** Whether a fault strikes only clients, and never a call between applications. */
export const strikesClientsOnly = (fault: Fault): boolean => isChanging(fault) || fault.kind === 'expired-token';

const CHANGING_FAULTS = ['permitted', 'forbidden'] as const satisfies readonly ChangingFault['kind'][];
const DELIVERY_FAULTS = ['duplicate', 'late', 'reorder', 'withhold'] as const;

/** The kinds of faults that apply to each target. */
export const faultKinds = {
  call: ['latency', 'status', 'outage', 'drop', 'lost-response', 'barrier', 'expired-token', ...CHANGING_FAULTS],
  event: [...DELIVERY_FAULTS, ...CHANGING_FAULTS],
  webhook: [...DELIVERY_FAULTS, 'bad-signature', 'stale-timestamp', ...CHANGING_FAULTS],
} as const satisfies Record<string, readonly Fault['kind'][]>;

/** Strikes of a fault whose target is listed. */
export const MOST_STRUCK = 20;

/** Characters of the name of a fault. */
export const LONGEST_NAME = 64;

/** The name of a fault, chosen by the caller. */
export const FaultName = nameOf(LONGEST_NAME);

/**
 * The type of an event, with or without its prefix. The schema accepts any text, so that the refusal of an unknown type can list the known
 * ones; the OpenAPI document has the pattern.
 */
export const EventType = z
  .string()
  .min(1)
  .max(120)
  .meta({
    pattern: `^(?:${TYPE_PREFIX.replaceAll('.', '\\.')})?(?:${allEvents.map(({ name }) => name.replaceAll('.', '\\.')).join('|')})$`,
    description: 'With or without its prefix: payment-authorized, ext.order-changed.',
  });

/** The APIs that faults can strike. Calls that the control plane makes itself are exempt. */
export const strikableApis: readonly ApiDefinition[] = [
  ...Object.values(apis),
  ...Object.values(internalCalls).filter(({ callers }) => callers.length > 0),
];

/** The caller outside the applications: a client of the estate. */
export const OUTSIDE = 'outside';

/** Whether an application, or a client (`OUTSIDE`), makes a call. */
export const mayStrikeFrom = (caller: string, api: string): boolean =>
  caller === OUTSIDE ? Object.hasOwn(apis, api) : mayCall(caller as Application, api);

/** Whether clients may call an API with an access token. */
export const takesAccessToken = ({ id, auth }: ApiDefinition): boolean => Object.hasOwn(apis, id) && (auth === 'bearer' || auth === 'none');

const Match = z.strictObject({
  application: z
    .enum(applicationNames as [string, ...string[]])
    .optional()
    .describe('Strikes the calls of this application’s APIs.'),
  api: z
    .string()
    .max(80)
    .meta({ enum: strikableApis.map(({ id }) => id), description: 'Id of an API. If `application` is given too, it must own the API.' })
    .optional(),
  caller: z
    .enum([OUTSIDE, ...applicationNames] as [string, ...string[]])
    .optional()
    .describe(
      `Strikes only the calls of this application, or of clients (${OUTSIDE}). Signed webhooks do not count as calls of clients. Default: any caller; for expired-token and changes, which only clients get: ${OUTSIDE}.`,
    ),
  event: EventType.optional(),
  subject: z.string().max(160).optional().describe('Subject of the event: order/ord_….'),
  webhook: SenderName.optional().describe(
    'Strikes the webhooks of the carrier (carrier), or of a registered webhook, by its name. It may be registered later.',
  ),
  status: TrackingStatus.optional().describe('Scan that the carrier’s webhook reports.'),
});

export type Match = z.output<typeof Match>;

/** For each target: the members that name it (at least one is required), and its optional members. */
const TARGETS = {
  call: { by: ['application', 'api'], optional: ['caller'] },
  event: { by: ['event'], optional: ['subject'] },
  webhook: { by: ['webhook'], optional: ['status'] },
} as const satisfies Record<keyof typeof faultKinds, { by: readonly (keyof Match)[]; optional: readonly (keyof Match)[] }>;
const TARGET_NAMES = Object.keys(TARGETS) as (keyof typeof TARGETS)[];

export const targetsOf = (match: Match): (keyof typeof TARGETS)[] =>
  TARGET_NAMES.filter((name) => TARGETS[name].by.some((member) => match[member] !== undefined));

/** The refinements of `FaultInput` as JSON Schema, for the OpenAPI document: one target, its members and its faults. */
const RULES = {
  allOf: [
    { properties: { match: anyRequired(TARGET_NAMES.flatMap((name) => TARGETS[name].by)) } },
    ...TARGET_NAMES.map((name) => {
      const { by, optional } = TARGETS[name];
      const own: readonly string[] = [...by, ...optional];
      return {
        if: { properties: { match: anyRequired(by) } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          properties: {
            match: { not: anyRequired(Object.keys(Match.shape).filter((member) => !own.includes(member))) },
            fault: { properties: { kind: { enum: faultKinds[name] } } },
          },
        },
      };
    }),
  ],
  dependentRequired: { probability: ['seed'], seed: ['probability'] },
};

export const FaultInput = z
  .strictObject({
    match: Match,
    fault: Fault,
    times: z.int().min(1).max(1_000_000).optional().describe('Number of strikes. Default: unlimited.'),
    skip: z.int().min(1).max(1_000_000).optional().describe('Number of matching calls or messages that pass before the first strike.'),
    probability: z.number().gt(0).max(1).optional().describe('Probability of each strike; needs a seed.'),
    seed: z.string().min(1).max(64).optional().describe('The same seed gives the same sequence of strikes; needs a probability.'),
  })
  .superRefine(({ match, fault, probability, seed }, context) => {
    const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    const [target, ...others] = targetsOf(match);
    if (target === undefined) refuse(['match'], 'A fault needs a target: name an application, an api, an event or a webhook.');
    else if (others.length > 0)
      refuse(['match'], 'A fault applies to calls (application, api), to events or to webhooks: name one of them.');
    else if (!(faultKinds[target] as readonly string[]).includes(fault.kind)) {
      refuse(['fault', 'kind'], `The fault ${fault.kind} does not apply to ${target}s; these do: ${faultKinds[target].join(', ')}.`);
    }
    if (strikesClientsOnly(fault) && match.caller !== undefined && match.caller !== OUTSIDE) {
      const what = isChanging(fault) ? 'get changed answers' : 'have access tokens';
      refuse(['match', 'caller'], `Only clients ${what}: leave the caller out, or give ${OUTSIDE}.`);
    }
    if (match.caller !== undefined && target !== 'call')
      refuse(['match', 'caller'], 'Only calls have a caller: name an application or an api.');
    if (match.subject !== undefined && match.event === undefined)
      refuse(['match', 'subject'], 'Only events have a subject: name an event.');
    if (match.status !== undefined && match.webhook !== CARRIER)
      refuse(['match', 'status'], 'Only webhooks of the carrier have a status: name carrier as the webhook.');
    if (probability !== undefined && seed === undefined)
      refuse(['seed'], 'A probability needs a seed, which makes the strikes repeatable.');
    if (seed !== undefined && probability === undefined) refuse(['probability'], 'A seed needs a probability.');
  })
  .meta(RULES);
export type FaultInput = z.output<typeof FaultInput>;
