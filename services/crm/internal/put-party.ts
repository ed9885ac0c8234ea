import type { z } from 'zod';
import { putParty as putPartyCall } from '../../../shared/catalog/customer/internal.ts';
import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { customers, parties } from '../collections.ts';
import { type CustomerRecord, isRegistered, noConsents } from '../customer-rules.ts';
import { findRegistered } from '../registered-customer.ts';

/** A checkout waits at most this long for the Loyalty Platform. */
const TIMEOUT_MS = 800;

/** The Loyalty Platform did not answer, so the owner of the card is unknown. */
const CARD_UNREAD = 'card-unread';

type FoundCustomer = CustomerRecord | typeof CARD_UNREAD | undefined;

type PartyContact = NonNullable<z.output<typeof putPartyCall.request>['contact']>;

export const putParty = handle(putPartyCall)(async ({ params, body: { contact } }, scope) => {
  const { work } = scope;
  const known = contact && (await findCustomer(contact, scope));
  if (known && known !== CARD_UNREAD) return known;
  const party = (await partyOf(work, params.basketId)) ?? createParty(work, params.basketId);
  const identified = contact ? identify(work, party, contact) : party;
  return known === CARD_UNREAD ? { ...identified, cardUnread: true as const } : identified;
});

/** The registered customer with the contact's e-mail; otherwise with its phone; otherwise with its loyalty card. */
async function findCustomer(contact: PartyContact, scope: Scope): Promise<FoundCustomer> {
  const registered = await findRegistered(scope.work, contact);
  return registered ?? (contact.loyaltyCard === undefined ? undefined : findCardHolder(contact.loyaltyCard, contact, scope));
}

/**
 * The member with this card. An unknown card identifies nobody, and the checkout continues. It also continues while the card cannot be
 * read, if the contact has e-mail or phone: checkout does not wait for the Loyalty Platform (flow 7 of the source document).
 * @throws Problem `dependency_*` when the contact has only the card
 */
async function findCardHolder(card: string, { email, phone }: PartyContact, { work, call, log }: Scope): Promise<FoundCustomer> {
  try {
    const { customerId } = await call(getMemberBalance, { params: { id: card } }, { timeoutMs: TIMEOUT_MS });
    return await work.get(customers, customerId);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const hasOtherContact = email !== undefined || phone !== undefined;
    if (error.code !== 'not_found' && !(hasOtherContact && isDependencyProblem(error))) throw error;
    log.info({ code: error.code }, 'a loyalty card given at checkout identified nobody');
    return error.code === 'not_found' ? undefined : CARD_UNREAD;
  }
}

async function partyOf(work: UnitOfWork, basketId: string): Promise<CustomerRecord | undefined> {
  const party = await work.get(parties, basketId);
  return party && work.get(customers, party.customerId);
}

function createParty(work: UnitOfWork, basketId: string): CustomerRecord {
  const id = work.id('cus');
  work.put(parties, { id: basketId, customerId: id });
  return work.create(customers, 'create', { id, addresses: [], consents: noConsents, interactions: [] });
}

/** Adds contact data, and replaces older data. A registered party is unchanged. */
function identify(work: UnitOfWork, party: CustomerRecord, { email = party.email, phone = party.phone }: PartyContact): CustomerRecord {
  if (isRegistered(party) || (email === party.email && phone === party.phone)) return party;
  return work.transition(customers, party, 'identify', { email, phone });
}
