import { expect, test } from '@jest/globals';
import { type ConvertedBasket, orderFromBasket } from '../../../services/oms/baskets.ts';
import { orderNumberOf } from '../../../shared/domain/order-number.ts';
import { eur } from '../../support/steps/tender.ts';

const AT = '2026-03-01T10:00:00.000Z';
const DAY = '20260301';

test('An order made of a basket names only the vouchers with a discount', () => {
  const nothing = { subtotal: eur(0), discount: eur(0), shipping: eur(0), tax: eur(0), total: eur(0) };
  const record = { id: 'bsk_1', version: 3, createdAt: AT, updatedAt: AT, state: 'converted', channel: 'web', currency: 'EUR' } as const;
  const basket: ConvertedBasket = {
    ...{ ...record, lines: [], totals: nothing, reservationId: 'res_1', orderId: 'ord_1' },
    vouchers: [
      { code: 'WELCOME10', status: 'applied', discount: eur(130) },
      { code: 'EXPIRED', status: 'rejected', reason: 'voucher_expired', discount: eur(0) },
    ],
  };
  expect(orderFromBasket(basket, { orderNumber: '260301-000000', validatedAt: AT }).voucherCodes).toEqual(['WELCOME10']);
});

test('An order made of a basket has a number that starts with the day and changes with id and attempt', () => {
  const numbers = [orderNumberOf('ord_1', DAY, 0), orderNumberOf('ord_1', DAY, 1), orderNumberOf('ord_2', DAY, 0)];
  for (const number of numbers) expect(number).toMatch(/^260301-[0-9BCDFGHJKMNPQRSTVWXZ]{6}$/);
  expect(new Set(numbers).size).toBe(3);
  expect(orderNumberOf('ord_1', DAY, 0)).toBe(numbers[0]);
});
