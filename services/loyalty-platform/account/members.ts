import { notFound } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { accounts } from '../collections.ts';
import type { Account } from './ledger.ts';

/** @throws Problem `not_found` */
export async function memberByIdOrCard(work: UnitOfWork, idOrCard: string): Promise<Account> {
  const found = await findMember(work, idOrCard);
  if (!found) throw notFound('loyalty-account', idOrCard);
  return found;
}

/** Finds a member by account id or card number. */
export const findMember = async (work: UnitOfWork, idOrCard: string): Promise<Account | undefined> =>
  (await work.get(accounts, idOrCard)) ?? (await work.findUnique(accounts, 'card', idOrCard));

interface Buyer {
  readonly customerId?: string;
  /** The id of the member's account, or the card number if the till could not read the account. */
  readonly loyaltyAccountId?: string;
}

/** Whether a purchase belongs to the member. An anonymous purchase belongs to every member. */
export function isOwnPurchase(account: Account, { customerId, loyaltyAccountId }: Buyer): boolean {
  if (loyaltyAccountId !== undefined) return loyaltyAccountId === account.id || loyaltyAccountId === account.cardNumber;
  return customerId === undefined || customerId === account.customerId;
}
