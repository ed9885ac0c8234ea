import { z } from 'zod';
import { moneyInWords } from '../domain/money.ts';
import { Currency } from './currency.ts';

/** Minor units. The price of the most units that a basket holds is a whole number without loss. */
const Amount = z.int().min(0).max(999_999_999);

/** The figures of the retailer, which hold for a whole world. Every member is optional; the defaults are the figures of our retailer. */
export const Retailer = z.strictObject({
  currency: Currency.default('EUR').describe('Currency of all prices, payments and points, as ISO 4217.'),
  shipping: z
    .strictObject({
      STANDARD: Amount.default(490).describe('Price of STANDARD shipping, in minor units.'),
      EXPRESS: Amount.default(990).describe('Price of EXPRESS shipping, in minor units.'),
      freeFrom: Amount.default(5_000).describe('Shipping is free from this value of the goods after discounts, in minor units.'),
    })
    .prefault({})
    .describe('Prices of shipping.'),
});
export type Retailer = z.output<typeof Retailer>;

export const defaultRetailer: Retailer = Retailer.parse({});

const { currency, shipping } = defaultRetailer;
const inWords = (amount: number): string => moneyInWords({ amount, currency });

/** `By default, STANDARD costs 4.90 EUR and EXPRESS 9.90 EUR; both are free …` */
export const shippingInWords = `By default, STANDARD costs ${inWords(shipping.STANDARD)} and EXPRESS ${inWords(shipping.EXPRESS)}; both are free from ${inWords(shipping.freeFrom)} of goods after discounts.`;
