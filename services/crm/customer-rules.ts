import type { z } from 'zod';
import { type Consents, type Customer, customerLifeCycle, type Interaction } from '../../shared/catalog/customer/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { compareInstants } from '../../shared/domain/instant.ts';

export type CustomerRecord = z.output<typeof Customer>;
type State = CustomerRecord['state'];

/** What somebody can be recognised by. */
export interface Contact {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** A party that nobody registered may share its contact with others; from `registered` on, blocked included, it may not. */
export const isRegistered = ({ state }: { readonly state: State }): boolean => state !== 'anonymous' && state !== 'identified';

export const noConsents: z.output<typeof Consents> = { emailMarketing: false, smsMarketing: false, profiling: false };

/**
 * The party that a registration takes over: one that left both the same e-mail and the same phone, else the oldest with that e-mail,
 * else the oldest with that phone.
 */
export function partyToRegister(
  { email, phone }: Contact,
  found: { readonly byEmail: readonly CustomerRecord[]; readonly byPhone: readonly CustomerRecord[] },
): CustomerRecord | undefined {
  const identified = (records: readonly CustomerRecord[]) => records.filter(({ state }) => state === 'identified');
  const byEmail = email === undefined ? [] : identified(found.byEmail);
  const byPhone = phone === undefined ? [] : identified(found.byPhone);
  return byEmail.find((record) => phone !== undefined && record.phone === phone) ?? byEmail[0] ?? byPhone[0];
}

/** Days without activity after which a customer is at risk, and after which the customer counts as lost. */
const AT_RISK_AFTER_MS = durationMs('P90D');
const CHURNED_AFTER_MS = durationMs('P180D');

/** When the state of a customer changes by nothing happening; both spans begin with the newest activity. */
export function idleAt({ state, lastActivityAt }: CustomerRecord): number | undefined {
  if (lastActivityAt === undefined) return undefined;
  if (state === 'active' || state === 'reactivated') return Date.parse(lastActivityAt) + AT_RISK_AFTER_MS;
  return state === 'at-risk' ? Date.parse(lastActivityAt) + CHURNED_AFTER_MS : undefined;
}

/** Nothing that a blocked customer does moves the customer's life cycle. */
export const countsActivity = ({ state }: CustomerRecord): boolean => allowedFrom(customerLifeCycle, 'activity').includes(state);

/** An order that is heard of late is no newer activity than what is known. */
export const newerOf = (one: string, other: string | undefined): string =>
  other !== undefined && compareInstants(other, one) > 0 ? other : one;

/** @throws Problem `customer_blocked` */
export function refuseBlocked({ id, state }: CustomerRecord, consequence: string): void {
  if (state !== 'blocked') return;
  throw new Problem('customer_blocked', `The customer "${id}" is blocked: ${consequence}.`, { objectType: 'customer', id });
}

type InteractionRecord = z.output<typeof Interaction>;

/** How many interactions a customer's record shows. */
const SHOWN_INTERACTIONS = 20;

/** The newest interactions, newest first. One that is noted late takes its place by when it was. */
export function withInteraction(interactions: readonly InteractionRecord[], added: InteractionRecord): InteractionRecord[] {
  return [added, ...interactions].toSorted((a, b) => compareInstants(b.occurredAt, a.occurredAt)).slice(0, SHOWN_INTERACTIONS);
}
