import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';
import { moneyInWords } from '../domain/money.ts';
import { Currency } from './currency.ts';

/** Minor units. The price of the most units that a basket holds is a whole number without loss. */
const Amount = z.int().min(0).max(999_999_999);

/** A duration of whole seconds in these limits. */
const Window = (least: string, most: string) =>
  z.string().refine((text) => isWithin(text, durationMs(least), durationMs(most)), {
    error: `This must be a duration of whole seconds from ${least} to ${most}, such as PT15M or P7D.`,
  });

function isWithin(text: string, least: number, most: number): boolean {
  try {
    const ms = durationMs(text);
    return ms >= least && ms <= most && ms % 1_000 === 0;
  } catch {
    return false;
  }
}

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
  loyalty: z
    .strictObject({
      earnPer: Amount.min(1).default(100).describe('An order earns one point for each full amount of this size, in minor units.'),
    })
    .prefault({})
    .describe('Rules of the loyalty programme.'),
  windows: z
    .strictObject({
      checkoutHold: Window('PT1S', 'PT4H')
        .default('PT15M')
        .describe('How long a checkout holds stock, voucher uses and prices without an order.'),
      redemption: Window('PT1S', 'P3650D')
        .default('PT15M')
        .describe('How long redeemed points wait for a payment before they return to the balance.'),
      return: Window('PT1S', 'P3650D')
        .default('P30D')
        .describe('How long after its completion the goods of an order may be announced for return.'),
    })
    .prefault({})
    .describe('Times on the clock of the rehearsal, as ISO 8601 durations.'),
});
export type Retailer = z.output<typeof Retailer>;

export const defaultRetailer: Retailer = Retailer.parse({});

const { currency, shipping } = defaultRetailer;
const inWords = (amount: number): string => moneyInWords({ amount, currency });

/** `By default, STANDARD costs 4.90 EUR and EXPRESS 9.90 EUR; both are free …` */
export const shippingInWords = `By default, STANDARD costs ${inWords(shipping.STANDARD)} and EXPRESS ${inWords(shipping.EXPRESS)}; both are free from ${inWords(shipping.freeFrom)} of goods after discounts.`;
