import type { z } from 'zod';
import { getMemberBalance as getMemberBalanceApi, listLedgerEntries as listLedgerEntriesApi } from '../../shared/catalog/loyalty/apis.ts';
import { type putLedgerEntry, putMember as putMemberCall } from '../../shared/catalog/loyalty/internal.ts';
import { type LedgerEntry, type LoyaltyAccount, SHOWN_ENTRIES, standingAt } from '../../shared/catalog/loyalty/objects.ts';
import { notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { digest } from '../../shared/domain/ids.ts';
import type { Money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { accounts, ledgerEntries, ledgerEntryId } from './collections.ts';

/** @throws Problem `not_found` */
export async function memberByIdOrCard(work: UnitOfWork, idOrCard: string): Promise<Account> {
  const found = await findMember(work, idOrCard);
  if (!found) throw notFound('loyalty-account', idOrCard);
  return found;
}

/** Finds a member by account id or card number. */
export const findMember = async (work: UnitOfWork, idOrCard: string): Promise<Account | undefined> =>
  (await work.get(accounts, idOrCard)) ?? (await work.findUnique(accounts, 'card', idOrCard));

/** Whether a purchase belongs to the member. An anonymous one belongs to every member. A till may send the card number as account. */
export function isOwnPurchase(account: Account, { customerId, loyaltyAccountId }: NonNullable<LedgerRequest['purchase']>): boolean {
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
    const detail = `The customer "${customerId}" is already a member, with the card ${existing.cardNumber}.`;
    throw new Problem('already_enrolled', detail, { objectType: 'loyalty-account', id: existing.id });
  }
  const id = work.id('loy');
  return work.revise(accounts, undefined, {
    id,
    customerId,
    cardNumber: await findFreeCard(work, id, cardNumber),
    pointsBalance: 0,
    lifetimePoints: 0,
    ...standingAt(0, work.figures.loyalty),
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
      const detail = `The card ${requested} belongs to another member; choose another card, or leave it out.`;
      throw new Problem('already_enrolled', detail, { objectType: 'loyalty-account', id: holder.id, cardNumber: requested });
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

export type LedgerRequest = z.output<typeof putLedgerEntry.request>;

/** Appends an entry. Points that are left after it settle the open shortfall in a second entry. @throws Problem `insufficient_points` */
export function book(work: UnitOfWork, account: Account, entry: Omit<Entry, 'at'>): Account {
  const append = (to: Account, without: Omit<Entry, 'at'>): Account => {
    const next = { ...without, at: instant(work.now) };
    const after = work.revise(accounts, to, withEntry(to, next, work.figures.loyalty));
    work.put(ledgerEntries, { id: ledgerEntryId(to.id, after.entryCount), accountId: to.id, ...next });
    return after;
  };
  const booked = append(account, entry);
  const settled = Math.min(booked.shortfall ?? 0, booked.pointsBalance);
  return settled > 0 ? append(booked, { type: 'reverse', points: -settled, shortfall: -settled }) : booked;
}

export type Account = z.output<typeof LoyaltyAccount>;
type Entry = z.output<typeof LedgerEntry>;

/** The account with one more entry: the only way to change a balance. @throws Problem `insufficient_points` below zero */
export function withEntry(account: Account, entry: Entry, loyalty: Figures['loyalty']): Account {
  const pointsBalance = account.pointsBalance + entry.points;
  if (pointsBalance < 0) throw insufficientPoints(account, -entry.points);
  const lifetimePoints = Math.max(0, account.lifetimePoints + lifetimePointsOf(entry));
  const shortfall = (account.shortfall ?? 0) + (entry.shortfall ?? 0);
  const { tier: _tier, nextTierThreshold: _next, pointsToNextTier: _missing, shortfall: _before, ...rest } = account;
  return {
    ...rest,
    pointsBalance,
    lifetimePoints,
    ...standingAt(lifetimePoints, loyalty),
    ...(shortfall > 0 && { shortfall }),
    entryCount: account.entryCount + 1,
    entries: [...account.entries, entry].slice(-SHOWN_ENTRIES),
  };
}

/**
 * Lifetime points of an entry. A refund subtracts the points that it takes back and their shortfall; an entry that settles a shortfall
 * counts as 0, because the refund has subtracted it already.
 */
function lifetimePointsOf({ type, points, shortfall = 0 }: Entry): number {
  if (type === 'earn' || type === 'issue') return points;
  const isTakenBack = type === 'reverse' && points <= 0;
  return isTakenBack ? points - shortfall : 0;
}

function insufficientPoints({ id, pointsBalance: available }: Account, requested: number): Problem {
  const detail = `The member "${id}" has ${available} points, not ${requested}.`;
  return new Problem('insufficient_points', detail, { objectType: 'loyalty-account', id, requested, available });
}

/** The amount that redeemed points pay. */
export const valueOfPoints = (points: number, { currency, loyalty }: Pick<Figures, 'currency' | 'loyalty'>): Money => ({
  amount: points * loyalty.pointWorth,
  currency,
});
