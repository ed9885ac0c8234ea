import { z } from 'zod';
import { IN_WORDS, mistakesIn } from '../shared/contract/issue-words.ts';
import type { Stage } from './scenario.ts';

const Text = z.string().min(1);
const CallText = z.string().regex(/^[A-Z]+ \/\S*$/, 'Write a method, one space and a path, such as POST /baskets.');
const CallOptions = z.looseObject({
  headers: z.record(z.string(), z.string()).optional(),
  as: z.enum(['bearer', 'access-token', 'api-key', 'admin', 'none']).optional(),
});
const Status = z.int().min(100).max(599);

interface Parameters {
  /** The call as a user writes it. */
  readonly written: string;
  /** The schemas of the parameters, by name, in order. */
  readonly of: Readonly<Record<string, z.ZodType>>;
}

/** Checks for scenarios in JavaScript, where no compiler checks them. */
const PARAMETERS: Readonly<Record<keyof Stage, Parameters>> = {
  step: {
    written: 'step({ title, call, body, options, status, events })',
    of: {
      step: z.strictObject({
        title: Text,
        call: CallText,
        body: z.unknown().optional(),
        options: CallOptions.optional(),
        status: Status.optional(),
        events: z.array(z.string()).optional(),
      }),
    },
  },
  together: {
    written: 'together(title, [{ call, body, options }, …])',
    of: { title: Text, calls: z.array(z.looseObject({ call: CallText, options: CallOptions.optional() })) },
  },
  expect: { written: 'expect(what, actual, expected)', of: { what: Text, actual: z.unknown(), expected: z.unknown() } },
  expectSequence: {
    written: 'expectSequence(what, [{ what, name, … }, …], { strict })',
    of: {
      what: Text,
      sequence: z.array(z.looseObject({ what: Text })).min(1),
      options: z.strictObject({ strict: z.boolean().optional() }).optional(),
    },
  },
  advance: { written: 'advance(by)', of: { by: Text } },
  fault: { written: 'fault(name, { match, fault })', of: { name: Text, rule: z.looseObject({}) } },
  noFaults: { written: 'noFaults(name)', of: { name: Text.optional() } },
  event: { written: 'event(name, place)', of: { name: Text, place: z.int().min(0).optional() } },
  control: { written: 'control(id, { params, query, body })', of: { id: Text, input: z.looseObject({}).optional() } },
  settle: { written: 'settle()', of: {} },
  now: { written: 'now()', of: {} },
  scan: { written: 'scan(shipmentId, scan)', of: { shipmentId: Text, scan: Text } },
  dispute: { written: 'dispute(paymentId, { reason, amount })', of: { paymentId: Text, body: z.looseObject({ reason: Text }) } },
  decideDispute: { written: 'decideDispute(paymentId, outcome)', of: { paymentId: Text, outcome: z.enum(['won', 'lost']) } },
  authenticate: { written: 'authenticate(paymentId, outcome)', of: { paymentId: Text, outcome: Text } },
  webhook: {
    written: 'webhook(title, { id, body, status, secret })',
    of: { title: Text, webhook: z.looseObject({ id: Text, status: Status, secret: Text.optional() }) },
  },
};

/** @throws TypeError with the correct call of an operation and the mistake in this one */
export function requireArguments(operation: keyof Stage, given: readonly unknown[]): void {
  const { written, of } = PARAMETERS[operation];
  const names = Object.keys(of);
  const refuse = (mistake: string): never => {
    throw new TypeError(`stage.${written} was called with a mistake. ${mistake}`);
  };
  // undefined is a valid value, but the argument must be there.
  if (operation === 'expect' && given.length < names.length) refuse(`${names[given.length]}: This argument is required.`);
  const named = Object.fromEntries(names.map((name, place) => [name, given[place]]));
  const { error } = z.object(of).safeParse(named, IN_WORDS);
  const [mistake] = mistakesIn(error?.issues ?? []);
  if (mistake !== undefined) refuse(`${mistake.path.join('.')}: ${mistake.detail}`);
}
