import { getMemberBalance as getMemberBalanceApi, listLedgerEntries as listLedgerEntriesApi } from '../../shared/catalog/loyalty/apis.ts';
import { putMember as putMemberCall } from '../../shared/catalog/loyalty/internal.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { digest } from '../../shared/domain/ids.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { accounts, ledgerEntries } from './collections.ts';
import { type Account, standingAt } from './ledger.ts';

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

export const getMemberBalance = handle(getMemberBalanceApi)(async ({ params }, { work }) => memberByIdOrCard(work, params.id));

export const listLedgerEntries = handle(listLedgerEntriesApi)(async ({ params, query }, { work }) => {
  const { id } = await memberByIdOrCard(work, params.id);
  const { items, ...page } = await work.find(ledgerEntries, 'account', id, query);
  return { ...page, items: items.map(({ id: _id, version: _version, accountId: _account, ...entry }) => entry) };
});

export const putMember = handle(putMemberCall)(async ({ params: { customerId }, body: { cardNumber } }, { work }) => {
  const existing = await work.findUnique(accounts, 'customer', customerId);
  if (existing) {
    if (cardNumber === undefined || cardNumber === existing.cardNumber) return again(existing);
    throw new Problem('already_enrolled', `The customer "${customerId}" is already a member, with the card ${existing.cardNumber}.`, {
      objectType: 'loyalty-account',
      id: existing.id,
    });
  }
  const id = work.id('loy');
  return work.revise(accounts, undefined, {
    id,
    customerId,
    cardNumber: await findFreeCard(work, id, cardNumber),
    pointsBalance: 0,
    lifetimePoints: 0,
    ...standingAt(0),
    entryCount: 0,
    entries: [],
  });
});

/** Card numbers and account ids share one lookup, so a card must not equal another member's account id either. */
async function findFreeCard(work: UnitOfWork, accountId: string, requested: string | undefined): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const card = requested ?? newCardNumber(accountId, attempt);
    const holder = (await work.findUnique(accounts, 'card', card)) ?? (await work.get(accounts, card));
    if (!holder) return card;
    if (requested !== undefined) {
      throw new Problem('already_enrolled', `The card ${requested} belongs to another member; choose another card, or leave it out.`, {
        objectType: 'loyalty-account',
        id: holder.id,
        cardNumber: requested,
      });
    }
  }
}

/** GS1 prefix for use within a company, so that no product has the same code. */
const PREFIX = '2990001';
const DIGITS = 5;

/** A number that a till scans as EAN-13, derived from the account for reruns. @param attempt raised while another member has the number */
function newCardNumber(accountId: string, attempt: number): string {
  const drawn = Number.parseInt(digest('card-number', accountId, String(attempt)).slice(0, 12), 16) % 10 ** DIGITS;
  const payload = PREFIX + String(drawn).padStart(DIGITS, '0');
  return payload + checkDigit(payload);
}
