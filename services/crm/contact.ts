import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { customers } from './collections.ts';
import type { Contact, CustomerRecord } from './customer-rules.ts';

/** The customer registered with this e-mail, or otherwise with this phone. Blocked customers count as registered. */
export async function findRegistered(work: UnitOfWork, { email, phone }: Contact): Promise<CustomerRecord | undefined> {
  const byEmail = email === undefined ? undefined : await work.findUnique(customers, 'registeredEmail', email);
  if (byEmail) return byEmail;
  return phone === undefined ? undefined : work.findUnique(customers, 'registeredPhone', phone);
}

/**
 * The contact data of a guest who becomes registered or blocked. What the request omits is taken from the guest, unless another customer has registered
 * with it since.
 */
export async function contactOf(work: UnitOfWork, guest: CustomerRecord, requested: Contact = {}): Promise<Contact> {
  const email = requested.email ?? ((await findRegistered(work, { email: guest.email })) ? undefined : guest.email);
  const phone = requested.phone ?? ((await findRegistered(work, { phone: guest.phone })) ? undefined : guest.phone);
  return { email, phone };
}
