import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { containedTax, floorShare, isCurrency, moneyInWords, percentOf } from '../../shared/domain/money.ts';

test('An amount in minor units contains its tax rounded half up', () => {
  expect([123, 100, 3, 2].map((gross) => containedTax(gross, 23))).toEqual([23, 19, 1, 0]);
  expect(containedTax(3, 20)).toBe(1);
});

test('An amount in minor units has a percentage rounded half up', () => {
  expect([49, 50, 149, 150].map((amount) => percentOf(amount, 1))).toEqual([0, 1, 1, 2]);
  expect(percentOf(1_000, 12.35)).toBe(124);
});

test('An amount in minor units has a share rounded down', () =>
  expect([1, 2, 3].map((units) => floorShare(1_000, units, 3))).toEqual([333, 666, 1_000]));

test('Money in words has the decimals of its currency', () =>
  expect(['EUR', 'USD', 'JPY', 'BHD'].map((currency) => moneyInWords({ amount: 1_299, currency }))).toEqual([
    '12.99 EUR',
    '12.99 USD',
    '1299 JPY',
    '1.299 BHD',
  ]));

test('A currency is a code of ISO 4217 with 0, 2 or 3 decimals', () =>
  expect(['EUR', 'JPY', 'BHD', 'CLF', 'eur', 'ZZZ', 'E', ''].filter(isCurrency)).toEqual(['EUR', 'JPY', 'BHD']));

test('The function show of the documents writes an amount with the decimals of its currency', () => {
  const program = fileURLToPath(new URL('../../docs/tutorials/members.mjs', import.meta.url));
  const shown = (currency: string): string =>
    execFileSync(process.execPath, [program, 'price'], { input: JSON.stringify({ price: { amount: 1299, currency } }), encoding: 'utf8' });
  expect(['EUR', 'JPY', 'BHD'].map(shown)).toEqual(['price  12.99 EUR\n', 'price  1299 JPY\n', 'price  1.299 BHD\n']);
});
