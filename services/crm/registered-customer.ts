import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { customers } from './collections.ts';
import type { Contact, CustomerRecord } from './customer-rules.ts';

/** The customer registered with this e-mail, or otherwise with this phone. Blocked customers count as registered. */
export async function findRegistered(work: UnitOfWork, { email, phone }: Contact): Promise<CustomerRecord | undefined> {
  const byEmail = email === undefined ? undefined : await work.findUnique(customers, 'registeredEmail', email);
  if (byEmail) return byEmail;
  return phone === undefined ? undefined : work.findUnique(customers, 'registeredPhone', phone);
}
