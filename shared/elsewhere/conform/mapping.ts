import { z } from 'zod';
import { Currency } from '../../catalog/currency.ts';
import { objects } from '../../catalog/objects.ts';
import { answeredBy } from '../../contract/openapi/application-contract.ts';
import type { Suite } from '../../contract/suites/suite.ts';

/** What a system has in place of the data of the estate, and what it lacks. */
export interface Mapping {
  readonly currency: string;
  /** By name; null: the system has none. */
  readonly ids: Readonly<Record<string, string | null>>;
  /** By type of object. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  readonly lacks: ReadonlySet<string>;
  /** `none`: the estate sends it no events. */
  readonly events: 'post' | 'none';
}

/** The mapping as its file or a request writes it. */
export function mappingShape(suite: Suite) {
  const each = <T extends z.ZodType>(names: readonly string[], schema: (name: string) => T) =>
    z.strictObject(Object.fromEntries(names.map((name) => [name, schema(name).optional()])));
  const statesOf = (type: string) => objects.find((one) => one.type === type)?.lifeCycle?.states ?? [];
  const lacking = [...Object.keys(suite.capabilities), ...answeredBy(suite.application).map(({ id }) => id)];
  return z.strictObject({
    currency: Currency.default('EUR'),
    ids: each(Object.keys(suite.ids), () => z.string().min(1).max(200).nullable()).default({}),
    states: each(Object.keys(suite.objects), (type) => z.array(z.enum(statesOf(type)), { error: statesInWords }).min(1)).default({}),
    events: z.enum(['post', 'none']).default('post'),
    notOffered: z.array(z.enum(lacking)).default([]),
  });
}

/** The estate translates no states of a real system, so conform translates none. */
const statesInWords = ({ code }: { readonly code?: string }): string | undefined =>
  code === 'invalid_type'
    ? 'List the states that your system has, in the words of the contract. The mapping translates none: your system, or an adapter in front of it, answers in these words.'
    : undefined;

/** A mapping with the ids of the suite that it does not name. */
export function mappingFrom(suite: Suite, data: z.output<ReturnType<typeof mappingShape>>): Mapping {
  const defaults = Object.fromEntries(Object.entries(suite.ids).map(([name, { value }]) => [name, value]));
  const states = Object.entries(data.states).flatMap(([type, known]) => (known === undefined ? [] : [[type, known] as const]));
  const given = Object.entries(data.ids).filter(([, id]) => id !== undefined) as [string, string | null][];
  return {
    currency: data.currency,
    ids: { ...defaults, ...Object.fromEntries(given) },
    states: Object.fromEntries(states),
    lacks: new Set(data.notOffered),
    events: data.events,
  };
}
