import { z } from 'zod';
import { Currency } from '../currency.ts';
import { defineObject } from '../define-object.ts';
import { CollectableAt, Collection, PaidAtCollection } from '../inventory/collection.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { shippingInWords } from '../retailer.ts';
import {
  Address,
  clientMembers,
  commonFields,
  Id,
  Instant,
  Money,
  Quantity,
  referenceColumn,
  ShippingMethod,
  Sku,
  VoucherCode,
} from '../shapes.ts';
import { TaxCategory, TaxPlace } from '../tax.ts';
import { CancelsShortage } from './shortage.ts';

export const Channel = z.enum(['web', 'app', 'pos']).meta({ id: 'Channel', description: 'Sales channel.' });

/** Channels of baskets that clients open. Baskets of the till belong to transactions. */
export const DigitalChannel = Channel.exclude(['pos']).meta({ id: 'DigitalChannel', description: 'Sales channel.' });

export const basketLifeCycle = defineLifeCycle({
  object: 'basket',
  states: ['open', 'locked', 'converted', 'abandoned', 'merged'],
  rows: [
    { verb: 'create', from: [null], to: 'open', events: ['basket-created'], trigger: 'Create Basket' },
    {
      verb: 'start-transaction',
      from: [null, 'open'],
      to: 'locked',
      events: ['checkout-started'],
      trigger: 'Create Transaction, with lines or with an open basket; the stock that the store has is reserved',
    },
    { verb: 'add-line', from: ['open'], trigger: 'Add Line to Basket' },
    { verb: 'change-line', from: ['open'], trigger: 'Change Basket Line' },
    { verb: 'remove-line', from: ['open'], trigger: 'Remove Basket Line' },
    {
      verb: 'checkout',
      from: ['open'],
      to: 'locked',
      events: ['checkout-started'],
      trigger: 'Checkout Basket; there is at least one line, and all stock is reserved',
    },
    { verb: 'checkout', from: ['locked', 'converted'], again: true, trigger: 'Checkout Basket, repeated with the same values' },
    {
      verb: 'change-checkout',
      from: ['locked'],
      trigger: 'Checkout Basket with another address, place of collection, shipping method, customer or vouchers, before the order exists',
    },
    { verb: 'merge', from: ['open'], to: 'merged', trigger: 'Create Basket with its id in mergeBasketIds' },
    { verb: 'abandon', from: ['open'], to: 'abandoned', trigger: 'time: 24 h idle' },
    { verb: 'convert', from: ['locked'], to: 'converted', trigger: 'Create Order' },
    { verb: 'convert', from: ['converted'], again: true, trigger: 'Create Order, repeated' },
    { verb: 'reopen', from: ['locked'], to: 'open', trigger: 'time: 15 min in checkout without an order; not for transactions' },
    {
      verb: 'cancel-checkout',
      from: ['locked'],
      to: 'abandoned',
      events: ['checkout-cancelled'],
      trigger: 'Void Transaction; time: an unpaid transaction has no calls for 24 h',
    },
    { verb: 'cancel-checkout', from: ['abandoned'], again: true, trigger: 'Void Transaction, repeated' },
  ],
});

/** Minimum age for a product, and for every line that sells it. */
export const MinAge = z.int().meta({ id: 'MinAge', description: 'Minimum age of the buyer in years.' });

/** Percent that is added to a line. */
export const AddedTaxRate = z
  .number()
  .optional()
  .describe('Our addition: percent of tax that is added. Absent if prices include tax, and while the place of the customer is unknown.');

/** The tax of one rate. */
const TaxLine = z
  .object({
    rate: z.number().describe('Percent.'),
    taxable: Money.describe('Goods after discounts, and the part of shipping at this rate, without tax.'),
    tax: Money,
  })
  .meta({ id: 'TaxLine' });

export const BasketLine = z
  .object({
    lineId: Id,
    sku: Sku,
    minAge: MinAge.optional(),
    qty: Quantity,
    unitPrice: Money.describe('Price of one unit, tax included; without tax if the totals have taxIncluded false.'),
    discount: Money.describe('Discount on all units of the line together.'),
    tax: Money.describe('Tax contained in lineTotal.'),
    taxRate: AddedTaxRate,
    lineTotal: Money.describe('qty × unitPrice − discount, and the tax if it is added.'),
  })
  .meta({ id: 'BasketLine' });

export const Totals = z
  .object({
    subtotal: Money.describe('Sum of qty × unitPrice.'),
    discount: Money.describe(
      'Sum of the discounts of its lines. An amount for several lines is split in proportion to their prices, by largest remainder.',
    ),
    shipping: Money.describe(`0 before checkout and at the till. ${shippingInWords}`),
    tax: Money.describe('Tax contained in total.'),
    total: Money.describe('subtotal − discount + shipping, and the tax if it is added.'),
    taxIncluded: z
      .literal(false)
      .optional()
      .describe('Our addition: present if unit prices, discounts and shipping are without tax, and tax is added to them.'),
    shippingTax: Money.optional().describe('Our addition: the part of tax that is added to shipping. Absent if it is zero or included.'),
    taxes: z
      .array(TaxLine)
      .optional()
      .describe('Our addition: tax by rate, highest rate first. They add up to tax. Absent if tax is included.'),
  })
  .meta({ id: 'Totals' });

export const BasketVoucher = z
  .object({
    code: VoucherCode,
    status: z.enum(['applied', 'rejected']),
    reason: z.string().optional().describe('Why it was rejected.'),
    discount: Money,
  })
  .meta({ id: 'BasketVoucher' });

export const Basket = z
  .object({
    ...commonFields,
    state: z.enum(basketLifeCycle.states),
    channel: Channel,
    storeId: Id.optional().describe('The store of a transaction.'),
    transactionId: Id.optional().describe('The transaction at the till. Its order gets the same id.'),
    customerId: Id.optional(),
    loyaltyAccountId: Id.optional().describe(
      'The account. If the Loyalty Platform did not answer during a sale at the till: the unchecked loyaltyId, which may be a card number or unknown.',
    ),
    currency: Currency,
    lines: z.array(BasketLine),
    vouchers: z.array(BasketVoucher),
    promotionsStatus: z
      .enum(['available', 'unavailable'])
      .optional()
      .describe('Whether the Promotion Engine answered at the last pricing. Discounts for members apply at checkout.'),
    totals: Totals,
    destination: TaxPlace.optional().describe(
      'Our addition: where the goods will probably go. Before checkout, tax that is added is estimated for this place.',
    ),
    taxStatus: z
      .enum(['unknown', 'estimated', 'final'])
      .optional()
      .describe(
        'Our addition: whether the added tax is known. unknown: no tax yet, because no place is known. estimated: for destination. final: since checkout. Absent if tax is included.',
      ),
    shippingAddress: Address.optional(),
    shippingMethod: ShippingMethod.optional(),
    collection: Collection.optional().describe('Where the customer collects the goods, in place of an address.'),
    payAt: PaidAtCollection,
    shortage: CancelsShortage,
    loyalty: z
      .object({ status: z.enum(['none', 'available', 'unavailable']), balance: z.int().optional().describe('Points.') })
      .optional()
      .describe('Answer of the Loyalty Platform at the start of checkout.'),
    reservationId: Id.optional().describe('The reservation of its stock since checkout.'),
    orderId: Id.optional(),
    mergedInto: Id.optional(),
    expiresAt: Instant.optional().describe('When an open basket is abandoned, or a locked one is reopened.'),
    ...clientMembers,
  })
  .meta({ id: 'Basket' });

export const basket = defineObject({
  type: 'basket',
  idPrefix: 'bsk',
  owner: 'ecommerce-platform',
  meaning: 'Container of intended purchases before order creation',
  schema: Basket,
  label: ['{totals.total}'],
  columns: {
    customer: '{customerId}',
    what: '{lines.sku}',
    vouchers: '{vouchers.code}: {vouchers.status}',
    total: '{totals.total}',
  },
  moreColumns: { channel: '{channel}', ...referenceColumn },
  references: { mergedInto: 'basket' },
  lifeCycle: basketLifeCycle,
});

export const productLifeCycle = defineLifeCycle({
  object: 'product',
  states: ['draft', 'enrichment', 'review', 'active', 'suspended', 'discontinued', 'archived'],
  rows: [
    { verb: 'enrich', from: ['draft'], to: 'enrichment', trigger: 'control plane: enrich' },
    { verb: 'submit', from: ['enrichment'], to: 'review', trigger: 'control plane: submit' },
    { verb: 'rework', from: ['review'], to: 'enrichment', trigger: 'control plane: rework' },
    { verb: 'approve', from: ['review'], to: 'active', trigger: 'control plane: approve' },
    { verb: 'suspend', from: ['active'], to: 'suspended', trigger: 'control plane: suspend' },
    { verb: 'resume', from: ['suspended'], to: 'active', trigger: 'control plane: resume' },
    { verb: 'discontinue', from: ['active', 'suspended'], to: 'discontinued', trigger: 'control plane: discontinue' },
    { verb: 'archive', from: ['discontinued'], to: 'archived', trigger: 'control plane: archive' },
    {
      verb: 'change',
      from: ['draft', 'enrichment', 'review', 'active', 'suspended', 'discontinued'],
      trigger: 'control plane: change of text, price or other members',
    },
  ],
});

/** Moves of a product by assortment management. Only the control plane makes them. */
export const ProductVerb = z
  .enum(['enrich', 'submit', 'rework', 'approve', 'suspend', 'resume', 'discontinue', 'archive'])
  .meta({ id: 'ProductVerb' });

export const Product = z
  .object({
    ...commonFields,
    state: z.enum(productLifeCycle.states),
    sku: Sku,
    gtin: z
      .string()
      .regex(/^[0-9]{13}$/, 'This must be 13 digits.')
      .describe('GTIN-13 with its check digit.'),
    labelReference: z
      .string()
      .regex(/^[0-9]{5}$/, 'This must be 5 digits.')
      .optional()
      .describe('Sold by weight: the five digits after the prefix of its price-embedded labels. A till sells a label at the price on it.'),
    name: z.string(),
    description: z.string(),
    brand: z.string(),
    attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    price: Money.describe('Price of one unit, tax included; without tax at a retailer with taxIncluded false.'),
    taxRate: z
      .number()
      .min(0)
      .max(100)
      .describe('Percent contained in the price. With taxIncluded false: percent that is added where no rate of the retailer applies.'),
    taxCategory: TaxCategory.optional().describe('Our addition: chooses a rate of the retailer with taxIncluded false. Default: standard.'),
    compareAtPrice: Money.optional().describe('Former price, shown struck through.'),
    minAge: MinAge.optional(),
    media: z.array(
      z.object({
        type: z.enum(['image', 'video']),
        url: z
          .string()
          .regex(
            /^(?:https?:\/\/[^/\s]|\/[^/\s])\S*$/,
            'This must be an http or https URL, or a path of the gateway such as /media/products/mug-blue.svg.',
          )
          .describe('A URL, or a path of the gateway, which has a drawing of each SKU at /media/products/{sku}.svg.'),
        alt: z.string(),
      }),
    ),
  })
  .meta({ id: 'Product' });

/** The product with its availability from the Inventory Service. Availability affects neither version nor ETag. */
export const ProductView = Product.extend({
  availability: z
    .object({
      status: z.enum(['in-stock', 'low', 'out-of-stock', 'unknown']),
      atp: z.int().optional().describe('Units available to promise at all nodes. Absent while the status is unknown.'),
    })
    .describe('Advisory: only a reservation keeps stock for a buyer.'),
}).meta({ id: 'ProductView' });

export const ListedProduct = Product.extend({
  collection: CollectableAt.optional().describe(
    'With collectAt: when one unit would be ready there. Absent if it cannot be collected there.',
  ),
}).meta({ id: 'ListedProduct' });

export const product = defineObject({
  type: 'product',
  idPrefix: 'prd',
  owner: 'ecommerce-platform',
  meaning: 'Sellable item defined by a SKU; referenced by every basket line, order line and inventory item',
  schema: Product,
  label: ['{name} ({sku})'],
  columns: { brand: '{brand}', price: '{price}' },
  references: { sku: 'inventory-item' },
  lifeCycle: productLifeCycle,
});
