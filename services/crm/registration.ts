import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { changedRow } from '../../fixtures/change.ts';
import { createCustomer as createCustomerApi } from '../../shared/catalog/customer/apis.ts';
import { changeCustomer as changeCustomerCall, putParty as putPartyCall } from '../../shared/catalog/customer/internal.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import { findNamed, refusingOnlyWhileFree, takeReference } from '../../shared/handlers/references.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { customers, parties } from './collections.ts';
import { contactOf, findRegistered } from './contact.ts';
import { type Contact, type CustomerRecord, guestToRegister, isRegistered, noConsents } from './customer-rules.ts';

export const createCustomer = handle(createCustomerApi)(async ({ body }, { work }) => {
  const existing = await findNamed(work, 'customer', customers, body);
  if (existing) return again(existing);
  await refusingOnlyWhileFree(work, 'customer', body, () => refuseDuplicate(work, body));
  const party = await findGuest(work, body);
  const { firstName, lastName, email, phone, reference, metadata } = body;
  const given = { firstName, lastName, reference, metadata };
  const id = party?.id ?? work.id('cus');
  takeReference(work, 'customer', body, { objectId: id });
  if (!party) {
    return work.create(customers, 'register', {
      id,
      ...given,
      email,
      phone,
      addresses: [],
      consents: { ...noConsents, ...namedConsents(body.consents) },
      interactions: [],
    });
  }
  return work.transition(customers, party, 'register', {
    ...given,
    ...(await contactOf(work, party, body)),
    consents: { ...party.consents, ...namedConsents(body.consents) },
  });
});

/** "Performs a deduplication check on email and phone" (source document). @throws Problem `duplicate_customer` */
async function refuseDuplicate(work: UnitOfWork, contact: Contact): Promise<void> {
  const byEmail = await findRegistered(work, { email: contact.email });
  const byPhone = await findRegistered(work, { phone: contact.phone });
  const found = byEmail ?? byPhone;
  if (!found) return;
  const matchedOn = [...(byEmail ? ['email'] : []), ...(byPhone?.id === found.id ? ['phone'] : [])];
  const detail = `The customer "${found.id}" is already registered with this ${matchedOn.join(' and ')}.`;
  throw new Problem('duplicate_customer', detail, { objectType: 'customer', existingCustomerId: found.id, matchedOn });
}

/** Contact data of a registered customer stay unique. */
export const changeCustomer = handle(changeCustomerCall)(async ({ params: { id }, body }, { work }) => {
  const before = await requireObject(work, customers, id);
  const next = changedRow('customers', body, { before, key: id, work });
  if (isDeepStrictEqual(next, before)) return again(before);
  const { email, phone } = next;
  if (isRegistered(before)) {
    await refuseDuplicate(work, {
      email: email === before.email ? undefined : email,
      phone: phone === before.phone ? undefined : phone,
    });
  }
  const { firstName, lastName, addresses, consents, metadata } = next;
  return work.transition(customers, before, 'change', { email, phone, firstName, lastName, addresses, consents, metadata });
});

async function findGuest(work: UnitOfWork, { email, phone }: Contact): Promise<CustomerRecord | undefined> {
  const byEmail = email === undefined ? [] : (await work.find(customers, 'email', email)).items;
  const byPhone = phone === undefined ? [] : (await work.find(customers, 'phone', phone)).items;
  return guestToRegister({ email, phone }, { byEmail, byPhone });
}

/** A consent that the request omits is unchanged. */
const namedConsents = (consents: Partial<Record<keyof typeof noConsents, boolean | undefined>> = {}): Partial<typeof noConsents> =>
  Object.fromEntries(Object.entries(consents).filter(([, agreed]) => agreed !== undefined));

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
