import type { Fixtures } from '../../fixtures/files.ts';
import { SHOWN_ENTRIES } from '../../shared/catalog/loyalty/objects.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { accounts, earnings, ledgerEntries, ledgerEntryId, redemptions, reversals } from './collections.ts';
import { earnPoints, onOrderChanged, onPaymentChanged } from './earning.ts';
import { getMemberBalance, listLedgerEntries, putMember } from './members.ts';
import { putLedgerEntry, redeemPoints, returnUnspentRedemption } from './redemption.ts';

export const service = defineService({
  application: 'loyalty-platform',
  collections: [accounts, ledgerEntries, earnings, redemptions, reversals],
  counters: [],
  apis: {
    'get-member-balance-api': getMemberBalance,
    'list-ledger-entries-api': listLedgerEntries,
    'earn-points-api': earnPoints,
    'redeem-points-api': redeemPoints,
  },
  internal: { 'put-ledger-entry': putLedgerEntry, 'put-member': putMember },
  events: { 'ext.order-changed': onOrderChanged, 'ext.payment-changed': onPaymentChanged },
  due: [returnUnspentRedemption],
});

/** Seeds accounts and ledger entries. In the fixtures, an account contains its whole ledger. */
export function seed({ loyaltyAccounts }: Fixtures): Seed {
  const rows = loyaltyAccounts.map((account) => ({
    ...account,
    entryCount: account.entries.length,
    entries: account.entries.slice(-SHOWN_ENTRIES),
  }));
  const entries = loyaltyAccounts.flatMap((account) =>
    account.entries.map((entry, index) => ({ id: ledgerEntryId(account.id, index + 1), version: 1, accountId: account.id, ...entry })),
  );
  return {
    objects: [
      { of: accounts, rows },
      { of: ledgerEntries, rows: entries },
    ],
  };
}
