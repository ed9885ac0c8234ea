import { z } from 'zod';
import { moneyInWords } from '../../domain/money.ts';
import { DigitalChannel } from '../commerce/objects.ts';
import { Currency } from '../currency.ts';
import { PartyContact } from '../customer/objects.ts';
import { CollectionRequest } from '../inventory/collection.ts';
import { LIMITS } from '../limits.ts';
import { Address, Id, Quantity, ShippingMethod, Sku, withRemedies } from '../shapes.ts';

/*
 * Orders whose prices another system has calculated. They come from a shop, a marketplace or an ERP system, and the estate keeps them as they
 * are.
 */

/** The most minor units of one amount, and of the sum of an order. Sums of so many lines stay exact. */
export const MOST_MINOR_UNITS = 999_999_999_999;

const WHOLE = `This must be a whole number of minor units, from 0 to ${MOST_MINOR_UNITS}: 1299 is ${moneyInWords({ amount: 1_299, currency: 'EUR' })}, ${moneyInWords({ amount: 1_299, currency: 'JPY' })} or ${moneyInWords({ amount: 1_299, currency: 'BHD' })}.`;

const GivenMoney = z
  .strictObject({ amount: z.int(WHOLE).min(0, WHOLE).max(MOST_MINOR_UNITS, WHOLE), currency: Currency })
  .meta({ id: 'GivenMoney', description: 'An amount that another system has calculated, in integer minor units, not negative.' });

/** It is shown only, so every precision is accepted. */
const GivenRate = z.number().min(0).max(100);

const GivenLine = z
  .strictObject({
    sku: Sku.describe('A SKU of the assortment. Each SKU has one line.'),
    qty: Quantity,
    unitPrice: GivenMoney.describe('Price of one unit, tax included, before discounts; without tax with taxIncluded false.'),
    discount: GivenMoney.optional().describe('Discount on all units of the line together. Default: 0.'),
    tax: GivenMoney.optional().describe(
      'Tax contained in the line after all discounts. Default: its share of the tax of the order. With taxIncluded false, required: the tax that is added to the line.',
    ),
    taxRate: GivenRate.optional().describe('With taxIncluded false, required: the percent of its tax. The tax is not calculated from it.'),
    lineTotal: GivenMoney.optional().describe('qty × unitPrice − discount. It is only checked.'),
  })
  .meta({ id: 'GivenLine' });

/** The most rates of one order. */
const MOST_RATES = 20;

const GivenTax = z
  .strictObject({
    rate: GivenRate,
    taxable: GivenMoney.describe('Goods after all discounts, and the part of shipping at this rate, without tax.'),
    tax: GivenMoney,
  })
  .meta({ id: 'GivenTax' });

/** The members of Create Order that only an order with lines has. */
export const givenMembers = {
  priceSource: z
    .literal('given')
    .optional()
    .describe('Our addition. Required with lines: all prices are given. They are checked for consistency, and never calculated again.'),
  lines: z
    .array(GivenLine)
    .min(1)
    .max(LIMITS.lines)
    .optional()
    .describe('Our addition, in place of a basket: an order that another system has taken, at its prices. It needs a reference.'),
  channel: DigitalChannel.optional().describe('With lines. Default: web.'),
  customerId: Id.optional().describe('With lines: a registered customer.'),
  contact: PartyContact.optional().describe(
    'With lines, in place of customerId: identifies the customer by e-mail, else phone, else loyalty card.',
  ),
  discount: GivenMoney.optional().describe(
    'With lines: a discount on the whole order, beyond the discounts of its lines. It is split over the lines in proportion to their totals, by largest remainder.',
  ),
  shipping: GivenMoney.optional().describe('With lines: the price of shipping. Default: 0.'),
  tax: GivenMoney.optional().describe(
    'With lines: the tax contained in total. Default: the taxes of the lines. Lines without tax share what the others leave, in proportion to their totals; with shipping, a part of it is the tax on shipping.',
  ),
  taxIncluded: z
    .boolean()
    .optional()
    .describe('With lines. false: unit prices, discounts and shipping are without tax, and the given tax is added. Default: true.'),
  taxes: z
    .array(GivenTax)
    .min(1)
    .max(MOST_RATES)
    .optional()
    .describe('With taxIncluded false, required: the tax by rate, of goods and shipping. Each rate of a line is listed once.'),
  total: GivenMoney.optional().describe(
    'With lines, required: the sum of qty × unitPrice, less all discounts, plus shipping, and the tax if it is added. A total that differs by one minor unit is refused.',
  ),
  shippingAddress: Address.optional().describe('With lines: where the goods are sent. Required, unless collection names a store.'),
  shippingMethod: ShippingMethod.optional().describe('With lines. Default: STANDARD. The price of shipping is given.'),
  collection: CollectionRequest.optional().describe('With lines, in place of shippingAddress: the customer collects the goods in a store.'),
};

type GivenMember = keyof typeof givenMembers;

const MEMBERS = Object.keys(givenMembers).filter((name) => name !== 'lines') as readonly GivenMember[];
const REQUIRED = ['priceSource', 'total', 'reference'] as const;

const REMEDIES: Readonly<Record<(typeof REQUIRED)[number], string>> = {
  priceSource: 'An order with lines has given prices: give priceSource "given". The estate calculates prices only for baskets.',
  total: 'Give the total of the order: the sum of its lines after discounts, plus shipping.',
  reference: 'Name the order as your system names it, so that a repeat never creates it twice.',
};

/** Members that only Checkout Basket has. */
const AT_CHECKOUT = {
  payAt:
    'Only Checkout Basket takes payAt: leave it out. An order with given prices is paid before its goods are handed over; for a payment at the counter, create the order from a basket.',
  voucherCodes: 'Only Checkout Basket takes vouchers: leave them out. An order with given prices has its discounts in discount.',
  shortage:
    'Only Checkout Basket takes shortage: leave it out. Units that an order with given prices lacks come from other locations, if these have them.',
  placeOrder: 'Only Checkout Basket has this member: leave it out. Create Order creates the order.',
};

const TAXES = 'Prices are without tax: give the tax by rate, of goods and shipping.';
const INCLUDED = 'These prices include tax: leave this out, or give taxIncluded false.';

/** Adds the rules between the members of an order with given prices. They are reported together with the mistakes of other members. */
export function withGivenPrices<T extends z.ZodObject>(schema: T): T {
  return withRemedies(schema, AT_CHECKOUT)
    .superRefine((value, context) => {
      const issue = (member: string, message: string, code: string): void =>
        context.addIssue({ code: 'custom', path: [member], message, params: { code } });
      const asked: Readonly<Record<string, unknown>> = value;
      const { lines, taxIncluded, taxes, exchangeForReturnId, shippingAddress, shippingMethod, collection, customerId, contact } = asked;
      if (lines === undefined) {
        for (const member of MEMBERS) {
          if (asked[member] !== undefined) issue(member, 'Only an order with lines has this member: leave it out.', 'unexpected');
        }
        return;
      }
      for (const member of REQUIRED) if (asked[member] === undefined) issue(member, REMEDIES[member], 'required');
      if (taxIncluded === false && taxes === undefined) issue('taxes', TAXES, 'tax_needed');
      if (taxIncluded !== false && taxes !== undefined) issue('taxes', INCLUDED, 'unexpected');
      if (exchangeForReturnId !== undefined) {
        issue(
          'exchangeForReturnId',
          'An order with given prices cannot be an exchange: leave it out, and pay the order with a tender.',
          'unexpected',
        );
      }
      if (customerId !== undefined && contact !== undefined) issue('contact', 'Give customerId or contact, not both.', 'unexpected');
      if (shippingAddress === undefined && collection === undefined) {
        issue('shippingAddress', 'This member is required, unless collection names a store.', 'required');
      }
      if (collection === undefined) return;
      if (shippingAddress !== undefined) issue('collection', 'Give shippingAddress or collection, not both.', 'unexpected');
      if (shippingMethod !== undefined) {
        issue('shippingMethod', 'Goods that the customer collects are not shipped: leave the method out.', 'not_sent');
      }
    })
    .meta({
      allOf: [
        {
          if: { required: ['lines'] },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { required: [...REQUIRED] },
        },
      ],
    });
}
