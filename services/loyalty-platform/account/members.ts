import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { accounts } from '../collections.ts';
import type { Account } from './ledger-rules.ts';

/** @throws Problem `not_found` */
export async function memberByIdOrCard(work: UnitOfWork, idOrCard: string): Promise<Account> {
  const found = await findMember(work, idOrCard);
  if (!found) throw notFound('loyalty-account', idOrCard);
  return found;
}

/** By account id or card number. */
export const findMember = async (work: UnitOfWork, idOrCard: string): Promise<Account | undefined> =>
  (await work.get(accounts, idOrCard)) ?? (await work.findUnique(accounts, 'card', idOrCard));
