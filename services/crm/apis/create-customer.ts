import { createCustomer as createCustomerApi } from '../../../shared/catalog/customer/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { customers } from '../collections.ts';
import { type Contact, type CustomerRecord, noConsents, partyToRegister } from '../customer-rules.ts';
import { registeredWith } from '../recognition.ts';

/** "Performs a deduplication check on email and phone": the source document. */
export const createCustomer = handle(createCustomerApi)(async ({ body }, { work }) => {
  await refuseDuplicate(work, body);
  const party = await identifiedParty(work, body);
  const { firstName, lastName, email, phone } = body;
  const name = { firstName, lastName };
  if (!party) {
    return work.create(customers, 'register', {
      id: work.id('cus'),
      ...name,
      ...(email !== undefined && { email }),
      ...(phone !== undefined && { phone }),
      addresses: [],
      consents: { ...noConsents, ...given(body.consents) },
      interactions: [],
    });
  }
  return work.transition(customers, party, 'register', {
    ...name,
    ...(await keptContact(work, body, party)),
    consents: { ...party.consents, ...given(body.consents) },
  });
});

async function refuseDuplicate(work: UnitOfWork, contact: Contact): Promise<void> {
  const byEmail = await registeredWith(work, { email: contact.email });
  const byPhone = await registeredWith(work, { phone: contact.phone });
  const found = byEmail ?? byPhone;
  if (!found) return;
  const matchedOn = [...(byEmail ? ['email'] : []), ...(byPhone?.id === found.id ? ['phone'] : [])];
  throw new Problem('duplicate_customer', `The customer "${found.id}" is registered with this ${matchedOn.join(' and ')} already.`, {
    objectType: 'customer',
    existingCustomerId: found.id,
    matchedOn,
  });
}

async function identifiedParty(work: UnitOfWork, { email, phone }: Contact): Promise<CustomerRecord | undefined> {
  const byEmail = email === undefined ? [] : (await work.find(customers, 'email', email)).items;
  const byPhone = phone === undefined ? [] : (await work.find(customers, 'phone', phone)).items;
  return partyToRegister({ email, phone }, { byEmail, byPhone });
}

/** What the party left at checkout fills in what the request leaves out, unless somebody else has registered with it since. */
async function keptContact(work: UnitOfWork, asked: Contact, party: CustomerRecord): Promise<Contact> {
  const email = asked.email ?? ((await registeredWith(work, { email: party.email })) ? undefined : party.email);
  const phone = asked.phone ?? ((await registeredWith(work, { phone: party.phone })) ? undefined : party.phone);
  return { email, phone };
}

/** Consents that the request names; one that is left out is not a refusal. */
const given = (consents: Partial<Record<keyof typeof noConsents, boolean | undefined>> = {}): Partial<typeof noConsents> =>
  Object.fromEntries(Object.entries(consents).filter(([, agreed]) => agreed !== undefined));
