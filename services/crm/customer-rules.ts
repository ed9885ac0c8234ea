import type { z } from 'zod';
import { type Consents, type Customer, customerLifeCycle, type Interaction } from '../../shared/catalog/customer/objects.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { compareInstants } from '../../shared/domain/instant.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';

export type CustomerRecord = z.output<typeof Customer>;
type State = CustomerRecord['state'];

export interface Contact {
  readonly email?: string;
  readonly phone?: string;
}

/** E-mail and phone are unique among registered customers, blocked ones included. Parties may share them. */
export const isRegistered = ({ state }: { state: State }): boolean => state !== 'anonymous' && state !== 'identified';

export const noConsents: z.output<typeof Consents> = { emailMarketing: false, smsMarketing: false, profiling: false };

/** The guest that becomes the customer: the one with e-mail and phone; otherwise the oldest with the e-mail, or with the phone. */
export function guestToRegister(
  { email, phone }: Contact,
  found: { readonly byEmail: readonly CustomerRecord[]; readonly byPhone: readonly CustomerRecord[] },
): CustomerRecord | undefined {
  const identified = (records: readonly CustomerRecord[]) => records.filter(({ state }) => state === 'identified');
  const byEmail = email === undefined ? [] : identified(found.byEmail);
  const byPhone = phone === undefined ? [] : identified(found.byPhone);
  return byEmail.find((record) => phone !== undefined && record.phone === phone) ?? byEmail[0] ?? byPhone[0];
}

/** When inactivity changes the customer's state next; undefined if it never does. */
export function idleAt({ state, lastActivityAt }: CustomerRecord, { windowMs }: Figures): number | undefined {
  if (lastActivityAt === undefined) return undefined;
  if (state === 'active' || state === 'reactivated') return Date.parse(lastActivityAt) + windowMs.atRisk;
  return state === 'at-risk' ? Date.parse(lastActivityAt) + windowMs.churned : undefined;
}

/** An old interaction does not reactivate the customer: the idle timer, which counts from the last activity, would fire immediately. */
export const interactionVerb = (
  occurredAt: string,
  { now, figures }: Pick<UnitOfWork, 'now' | 'figures'>,
): 'log-interaction' | 'log-past-interaction' =>
  Date.parse(occurredAt) > now - figures.windowMs.atRisk ? 'log-interaction' : 'log-past-interaction';

/** False for blocked customers only. */
export const acceptsActivity = ({ state }: CustomerRecord): boolean => allowedFrom(customerLifeCycle, 'activity').includes(state);

/** Events may arrive late: the last activity never moves back. */
export const laterInstant = (one: string, other: string | undefined): string =>
  other !== undefined && compareInstants(other, one) > 0 ? other : one;

/** @throws Problem `customer_blocked` */
export function refuseBlocked({ id, state }: CustomerRecord, consequence: string): void {
  if (state !== 'blocked') return;
  throw new Problem('customer_blocked', `The customer "${id}" is blocked: ${consequence}.`, { objectType: 'customer', id });
}

type InteractionRecord = z.output<typeof Interaction>;

const MAX_INTERACTIONS = 20;

/** The newest interactions, newest first by `occurredAt`. */
export function addInteraction(interactions: readonly InteractionRecord[], added: InteractionRecord): InteractionRecord[] {
  return [added, ...interactions].toSorted((a, b) => compareInstants(b.occurredAt, a.occurredAt)).slice(0, MAX_INTERACTIONS);
}
