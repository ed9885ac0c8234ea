import type { Mutant } from './mutant.ts';

export const money: readonly Mutant[] = [
  {
    name: 'Cash gives no change',
    file: 'services/payment-hub/authorize-payment.ts',
    from: 'Math.min(tendered.amount, outstanding.amount)',
    to: 'tendered.amount',
    killedBy: ['tests/services/pos.test.ts'],
  },
  {
    name: 'A refund may exceed the captured amount by one cent',
    file: 'services/payment-hub/refunds.ts',
    from: 'if (requested.amount <= left) return;',
    to: 'if (requested.amount <= left + 1) return;',
    killedBy: ['tests/services/payment-hub.test.ts'],
  },
  {
    name: 'A capture may exceed the authorised amount by one cent',
    file: 'services/payment-hub/payments.ts',
    from: 'if (captured.amount > authorizedAmount.amount) {',
    to: 'if (captured.amount > authorizedAmount.amount + 1) {',
    killedBy: ['tests/services/payment-hub.test.ts'],
  },
  {
    name: 'The remainder of a partial capture is not given back to the gift card',
    file: 'services/payment-hub/payments.ts',
    from: 'giveBack(work, payment, { amount: remainder,',
    to: 'giveBack(work, payment, { amount: { ...remainder, amount: 0 },',
    killedBy: ['tests/services/payment-hub.test.ts'],
  },
  {
    name: 'The tax contained in a price is rounded down',
    file: 'shared/domain/money.ts',
    from: '* basisPoints * 2n + divisor) / (divisor * 2n)',
    to: '* basisPoints * 2n) / (divisor * 2n)',
    killedBy: ['tests/unit/money.test.ts'],
  },
  {
    name: 'The cents that remain after a discount is spread are lost',
    file: 'shared/domain/money.ts',
    from: '    entry.share += 1;\n',
    to: '',
    killedBy: ['tests/unit/promotion-rules.test.ts'],
  },
  {
    name: 'An interrupted refund of cancelled units is paid again in full',
    file: 'services/oms/payments.ts',
    from: 'const left = Math.max(0, owed.amount - committedOf(attempts));',
    to: 'const left = owed.amount;',
    killedBy: ['tests/unit/oms/refund-split.test.ts'],
  },
  {
    name: 'Money that returns for units that never arrived takes points',
    file: 'services/loyalty-platform/earning.ts',
    from: 'earned.amount + (earned.overpaid ?? 0) - sumOf(until)',
    to: 'earned.amount - sumOf(until)',
    killedBy: ['tests/services/loyalty-earning.test.ts'],
  },
  {
    name: 'A failed refund of missing units is not repeated from another payment',
    file: 'services/oms/late-refunds.ts',
    from: "status === 'paid' && failed.some",
    to: "status === 'left' && failed.some",
    killedBy: ['tests/services/refund-decisions.test.ts'],
  },
  {
    name: 'Units that return in several parts are rounded one by one',
    file: 'services/oms/return-bookings.ts',
    from: 'Math.max(0, valueOfUnits(line, gone) - valueOfUnits(line, line.cancelledQty) - before.amount)',
    to: 'valueOfUnits(line, units)',
    killedBy: ['tests/unit/oms/return-value.test.ts'],
  },
];
