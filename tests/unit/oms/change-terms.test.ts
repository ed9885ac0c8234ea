import { expect, test } from '@jest/globals';
import { sharedPrice } from '../../../services/oms/change-terms.ts';
import type { StoredOrder } from '../../../services/oms/collections.ts';

const usd = (amount: number) => ({ amount, currency: 'USD' });
const booked = { fulfilledQty: 0, returnedQty: 0, cancelledQty: 0 };

/** 3 × 12.99 − 1.00 at 10 %, 5.20 at 5 %, and shipping of 4.90. 4.00 of the shipping is taxed at 10 %, the rest at 5 %. */
const LINES = [
  {
    lineId: 'mug',
    sku: 'mug',
    qty: 3,
    unitPrice: usd(1_299),
    discount: usd(100),
    tax: usd(380),
    taxRate: 10,
    lineTotal: usd(4_177),
    ...booked,
  },
  { lineId: 'jam', sku: 'jam', qty: 1, unitPrice: usd(520), discount: usd(0), tax: usd(26), taxRate: 5, lineTotal: usd(546), ...booked },
];
const TOTALS = {
  subtotal: usd(4_417),
  discount: usd(100),
  shipping: usd(490),
  taxIncluded: false,
  taxes: [
    { rate: 10, taxable: usd(3_797 + 400), tax: usd(380 + 40) },
    { rate: 5, taxable: usd(520 + 90), tax: usd(26 + 5) },
  ],
  shippingTax: usd(45),
  tax: usd(451),
  total: usd(5_258),
};
const ORDER = { lines: LINES, totals: TOTALS } as unknown as StoredOrder;

test('Without its basket, an order with added tax keeps the tax of its remaining units and of its shipping', () => {
  const { lines, totals } = sharedPrice(ORDER, [{ lineId: 'mug', qty: 2 }]);
  // 2 × 12.99 − 0.67 = 25.31, and 10 % of it
  expect(lines).toMatchObject([{ lineId: 'mug', qty: 2, discount: usd(67), tax: usd(253), lineTotal: usd(2_784) }]);
  expect(totals).toEqual({
    subtotal: usd(2_598),
    discount: usd(67),
    shipping: usd(490),
    taxIncluded: false,
    taxes: [
      { rate: 10, taxable: usd(2_531 + 400), tax: usd(253 + 40) },
      { rate: 5, taxable: usd(90), tax: usd(5) },
    ],
    shippingTax: usd(45),
    tax: usd(298),
    total: usd(2_784 + 490 + 45),
  });
});
