import { createCustomer as createCustomerApi } from '../../../shared/catalog/customer/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { customers } from '../collections.ts';
import { type Contact, type CustomerRecord, guestToRegister, noConsents } from '../customer-rules.ts';
import { findRegistered } from '../registered-customer.ts';

export const createCustomer = handle(createCustomerApi)(async ({ body }, { work }) => {
  await refuseDuplicate(work, body);
  const party = await findGuest(work, body);
  const { firstName, lastName, email, phone } = body;
  const name = { firstName, lastName };
  if (!party) {
    return work.create(customers, 'register', {
      id: work.id('cus'),
      ...name,
      email,
      phone,
      addresses: [],
      consents: { ...noConsents, ...namedConsents(body.consents) },
      interactions: [],
    });
  }
  return work.transition(customers, party, 'register', {
    ...name,
    ...(await mergeContact(work, body, party)),
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
  throw new Problem('duplicate_customer', `The customer "${found.id}" is already registered with this ${matchedOn.join(' and ')}.`, {
    objectType: 'customer',
    existingCustomerId: found.id,
    matchedOn,
  });
}

async function findGuest(work: UnitOfWork, { email, phone }: Contact): Promise<CustomerRecord | undefined> {
  const byEmail = email === undefined ? [] : (await work.find(customers, 'email', email)).items;
  const byPhone = phone === undefined ? [] : (await work.find(customers, 'phone', phone)).items;
  return guestToRegister({ email, phone }, { byEmail, byPhone });
}

/** E-mail and phone that the request omits are taken from the guest, unless another customer has registered with them since. */
async function mergeContact(work: UnitOfWork, requested: Contact, party: CustomerRecord): Promise<Contact> {
  const email = requested.email ?? ((await findRegistered(work, { email: party.email })) ? undefined : party.email);
  const phone = requested.phone ?? ((await findRegistered(work, { phone: party.phone })) ? undefined : party.phone);
  return { email, phone };
}

/** A consent that the request omits is unchanged. */
const namedConsents = (consents: Partial<Record<keyof typeof noConsents, boolean | undefined>> = {}): Partial<typeof noConsents> =>
  Object.fromEntries(Object.entries(consents).filter(([, agreed]) => agreed !== undefined));
