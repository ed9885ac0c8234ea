import { z } from 'zod';
import { comparableMs, durationMs } from '../domain/duration.ts';
import { moneyInWords } from '../domain/money.ts';
import { Currency } from './currency.ts';
import { Duration } from './duration.ts';
import { MOST_LOCATIONS_PER_LINE } from './limits.ts';
import { TaxRates } from './tax.ts';
import { TimeZone } from './time-zone.ts';

const Amount = z.int().min(0).max(999_999_999);
const window = (length: string, meaning: string) => Duration.default(length).describe(meaning);

const Shipping = z.strictObject({
  STANDARD: Amount.default(490).describe('Price of STANDARD, in minor units.'),
  EXPRESS: Amount.default(990).describe('Price of EXPRESS, in minor units.'),
  freeFrom: Amount.default(5_000).describe('Shipping is free from this value of the goods after discounts, in minor units.'),
});

const Loyalty = z
  .strictObject({
    earnPer: z
      .int()
      .min(1)
      .max(999_999_999)
      .default(100)
      .describe('An order earns one point for each full amount of this size, in minor units.'),
    pointWorth: z
      .int()
      .min(1)
      .max(999_999)
      .default(1)
      .describe('A redeemed point pays this amount, in minor units. A payment takes whole points.'),
    tiers: z
      .strictObject({
        silver: z.int().min(1).max(999_999_999).default(1_000).describe('A member with these lifetime points is silver.'),
        gold: z.int().min(2).max(999_999_999).default(5_000).describe('A member with these lifetime points is gold.'),
      })
      .prefault({})
      .refine(({ silver, gold }) => silver < gold, { path: ['gold'], error: 'This must be above the points of silver.' }),
  })
  .describe('The Loyalty Platform. Members below silver are bronze.');

/** The SIM reserves stock for at most this time. */
const LONGEST_HOLD_MS = durationMs('PT4H');

/** A confirmed order renews a lost authorisation for 30 days. A shorter one would be renewed without end. */
const SHORTEST_AUTHORISATION_MS = durationMs('P1D');

const Windows = z
  .strictObject({
    checkoutHold: Duration.refine((length) => !(comparableMs(length) > LONGEST_HOLD_MS), 'This must be at most PT4H.')
      .default('PT15M')
      .describe('A checkout keeps its stock reserved for this time. At most PT4H.'),
    basketIdle: window('P1D', 'After this time without a change, a basket is abandoned, and a transaction at the till is voided.'),
    draftOrder: window('P1D', 'After this time without confirmation, a draft order is cancelled.'),
    pendingPayment: window('PT15M', 'After this time without an answer of the provider, a payment fails.'),
    authorisation: Duration.refine((length) => !(comparableMs(length) < SHORTEST_AUTHORISATION_MS), 'This must be at least P1D.')
      .default('P7D')
      .describe('After this time without capture, an authorisation is voided. At least P1D.'),
    uncoveredOrder: window('P1D', 'After this time, a confirmed order is cancelled if its lost authorisation is not replaced.'),
    redemption: window('PT15M', 'After this time, redeemed points that have paid for nothing return to the member.'),
    return: window('P30D', 'For this time after delivery, goods may be returned.'),
    exchange: window('P7D', 'For this time, inspected goods wait for the payment of their exchange order.'),
    dispute: window('P7D', 'After this time without an outcome, a dispute is lost.'),
    carrierSilence: window('P14D', 'After this time without a scan, a parcel is lost.'),
    atRisk: window('P90D', 'After this time without activity, a customer is at risk.'),
    churned: window('P180D', 'After this time without activity, a customer has churned.'),
  })
  .describe('Lengths of time on the rehearsal’s clock.');

const LONGEST_PREPARATION_MS = durationMs('P7D');

const Collection = z
  .strictObject({
    days: z
      .int()
      .min(1)
      .max(60)
      .default(7)
      .describe('Goods wait at the counter for so many days, and until the store closes on the last one.'),
    preparation: Duration.refine((length) => !(comparableMs(length) > LONGEST_PREPARATION_MS), 'This must be at most P7D.')
      .default('PT2H')
      .describe('A store has an order ready after so much opening time, at most P7D.'),
    payLimit: Amount.default(50_000).describe('An order that is paid when it is collected costs at most this amount, in minor units.'),
  })
  .describe('Orders that customers collect in a store.');

/** The figures of a retailer. Each has a default. */
export const Retailer = z.strictObject({
  id: z.literal('retailer').default('retailer'),
  currency: Currency.default('EUR').describe('All prices, payments and points are in this currency of ISO 4217.'),
  timeZone: TimeZone.default('UTC').describe('Decides the day in order numbers and receipts. A location may have another time zone.'),
  cashRounding: z
    .int()
    .min(1)
    .max(100_000)
    .default(1)
    .describe(
      'The smallest coin, in minor units, such as 5 for CHF. Cash that closes a sale at the till, and refunds of cash, are rounded to it. With 1, cash is exact.',
    ),
  taxIncluded: z
    .boolean()
    .default(true)
    .describe('Whether prices, also of shipping, include tax. With false, tax is added by the place of the customer.'),
  taxRates: TaxRates.default([]).describe(
    'Rates by place and category, at most 200, for taxIncluded false. Where no rate applies, the taxRate of the product is added.',
  ),
  splitLines: z
    .boolean()
    .default(false)
    .describe(
      `Whether several locations may serve one order line, at most ${MOST_LOCATIONS_PER_LINE}, if no location has all its units. With false, such a line is out of stock.`,
    ),
  shipping: Shipping.prefault({}),
  disputeFee: Amount.default(2_000).describe('Fee of the provider for each dispute, in minor units.'),
  loyalty: Loyalty.prefault({}),
  collection: Collection.prefault({}),
  replaceLostWithin: Duration.optional().describe(
    'For this time, goods that a carrier lost wait for a replacement. Then they are refunded. Default: they are refunded immediately.',
  ),
  windows: Windows.prefault({}).refine(({ atRisk, churned }) => !(comparableMs(atRisk) >= comparableMs(churned)), {
    path: ['churned'],
    error: 'This must be longer than atRisk.',
  }),
});
export type Retailer = z.output<typeof Retailer>;

export type WindowName = keyof Retailer['windows'];

/** The figures as code uses them: windows in milliseconds. */
export interface Figures
  extends Pick<
    Retailer,
    'currency' | 'timeZone' | 'cashRounding' | 'taxIncluded' | 'taxRates' | 'splitLines' | 'shipping' | 'disputeFee' | 'loyalty'
  > {
  readonly collection: { readonly days: number; readonly preparationMs: number; readonly payLimit: number };
  readonly windowMs: Readonly<Record<WindowName, number>>;
  /** Undefined: lost goods are refunded immediately. */
  readonly replaceLostWithinMs: number | undefined;
}

/** A world that was kept before a figure existed does not have it. */
export function figuresOf({
  currency,
  timeZone,
  cashRounding = 1,
  taxIncluded = true,
  taxRates = [],
  splitLines = false,
  shipping,
  disputeFee,
  loyalty,
  collection,
  replaceLostWithin,
  windows,
}: Retailer): Figures {
  const { days, preparation, payLimit } = collection;
  const windowMs = Object.fromEntries(Object.entries(windows).map(([name, length]) => [name, durationMs(length)]));
  return {
    currency,
    timeZone,
    cashRounding,
    taxIncluded,
    taxRates,
    splitLines,
    shipping,
    disputeFee,
    loyalty,
    collection: { days, preparationMs: durationMs(preparation), payLimit },
    windowMs: windowMs as Figures['windowMs'],
    replaceLostWithinMs: replaceLostWithin === undefined ? undefined : durationMs(replaceLostWithin),
  };
}

const defaults = Retailer.parse({});
/** The figures of the project's own retailer, which documents quote as defaults. */
export const DEFAULT_FIGURES = figuresOf(defaults);

const inWords = (amount: number): string => moneyInWords({ amount, currency: defaults.currency });

/** `STANDARD costs 4.90 EUR, EXPRESS 9.90 EUR by default; …` */
export const shippingInWords = `By default, STANDARD costs ${inWords(defaults.shipping.STANDARD)}, EXPRESS ${inWords(defaults.shipping.EXPRESS)}; both are free from ${inWords(defaults.shipping.freeFrom)} of goods after discounts.`;
