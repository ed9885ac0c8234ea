import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { earnPoints } from './apis/earn-points.ts';
import { getMemberBalance } from './apis/get-member-balance.ts';
import { redeemPoints } from './apis/redeem-points.ts';
import { accounts, earnings, redemptions, reversals } from './collections.ts';
import { returnUnspentRedemption } from './due/return-redemption.ts';
import { onOrderChanged } from './events/on-order-changed.ts';
import { onPaymentChanged } from './events/on-payment-changed.ts';
import { putLedgerEntry } from './internal/put-ledger-entry.ts';
import { putMember } from './internal/put-member.ts';

export const service = defineService({
  application: 'loyalty-platform',
  collections: [accounts, earnings, redemptions, reversals],
  counters: [],
  apis: {
    'get-member-balance-api': getMemberBalance,
    'earn-points-api': earnPoints,
    'redeem-points-api': redeemPoints,
  },
  internal: { 'put-ledger-entry': putLedgerEntry, 'put-member': putMember },
  events: { 'ext.order-changed': onOrderChanged, 'ext.payment-changed': onPaymentChanged },
  due: [returnUnspentRedemption],
});

export function seed({ loyaltyAccounts: rows }: Fixtures, _now: number): Seed {
  return { objects: [{ of: accounts, rows }] };
}
