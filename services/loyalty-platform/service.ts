import type { Fixtures } from '../../fixtures/files.ts';
import { SHOWN_ENTRIES } from '../../shared/catalog/loyalty/objects.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { earnPoints } from './apis/earn-points.ts';
import { getMemberBalance } from './apis/get-member-balance.ts';
import { listLedgerEntries } from './apis/list-ledger-entries.ts';
import { redeemPoints } from './apis/redeem-points.ts';
import { accounts, earnings, ledgerEntries, ledgerEntryId, redemptions, reversals } from './collections.ts';
import { returnUnspentRedemption } from './due/return-redemption.ts';
import { onOrderChanged } from './events/on-order-changed.ts';
import { onPaymentChanged } from './events/on-payment-changed.ts';
import { putLedgerEntry } from './internal/put-ledger-entry.ts';
import { putMember } from './internal/put-member.ts';

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
export function seed({ loyaltyAccounts }: Fixtures, _now: number): Seed {
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
