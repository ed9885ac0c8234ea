import type { z } from 'zod';
import { putParty as putPartyCall } from '../../../shared/catalog/customer/internal.ts';
import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { customers, parties } from '../collections.ts';
import { type CustomerRecord, isRegistered, noConsents } from '../customer-rules.ts';
import { registeredWith } from '../recognition.ts';

/** Wall time for which a checkout waits for the Loyalty Platform. */
const PATIENCE_MS = 800;

type PartyContact = NonNullable<z.output<typeof putPartyCall.request>['contact']>;

export const putParty = handle(putPartyCall)(async ({ params, body: { contact } }, scope) => {
  const { work } = scope;
  const known = contact && (await recognised(contact, scope));
  if (known) return known;
  const party = (await partyOf(work, params.basketId)) ?? anonymousParty(work, params.basketId);
  return contact ? identified(work, party, contact) : party;
});

/** The registered customer behind a contact: whoever has the e-mail, else the phone, else the card. */
async function recognised(contact: PartyContact, scope: Scope): Promise<CustomerRecord | undefined> {
  const registered = await registeredWith(scope.work, contact);
  return registered ?? (contact.loyaltyCard === undefined ? undefined : memberWith(contact.loyaltyCard, contact, scope));
}

/**
 * The customer whose card this is. A mistyped card keeps nobody from buying: it recognises nobody, and that is all. The same goes for one
 * that cannot be read now, if other contact says who buys: checkout does not wait for the Loyalty Platform (flow 7 of the source document).
 * @throws Problem `dependency_*` when the card alone would say it
 */
async function memberWith(card: string, { email, phone }: PartyContact, { work, call, log }: Scope): Promise<CustomerRecord | undefined> {
  try {
    const { customerId } = await call(getMemberBalance, { params: { id: card } }, { timeoutMs: PATIENCE_MS });
    return await work.get(customers, customerId);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const otherwiseKnown = email !== undefined || phone !== undefined;
    if (error.code !== 'not_found' && !(otherwiseKnown && isDependencyProblem(error))) throw error;
    log.info({ code: error.code }, 'a loyalty card given at checkout recognised nobody');
    return undefined;
  }
}

async function partyOf(work: UnitOfWork, basketId: string): Promise<CustomerRecord | undefined> {
  const party = await work.get(parties, basketId);
  return party && work.get(customers, party.customerId);
}

function anonymousParty(work: UnitOfWork, basketId: string): CustomerRecord {
  const id = work.id('cus');
  work.put(parties, { id: basketId, customerId: id });
  return work.create(customers, 'create', { id, addresses: [], consents: noConsents, interactions: [] });
}

/** Further contact is added, newer contact replaces older. Who registered meanwhile is no longer changed by a basket. */
function identified(work: UnitOfWork, party: CustomerRecord, { email = party.email, phone = party.phone }: PartyContact): CustomerRecord {
  if (isRegistered(party) || (email === party.email && phone === party.phone)) return party;
  return work.transition(customers, party, 'identify', { email, phone });
}
