import { z } from 'zod';
import { Basket as BasketSchema, basket, Product as ProductSchema, product } from '../../shared/catalog/commerce/objects.ts';
import { CollectionSource } from '../../shared/catalog/inventory/collection.ts';
import { Tier } from '../../shared/catalog/loyalty/objects.ts';
import { Id, Instant, SkuQuantity } from '../../shared/catalog/shapes.ts';
import { gtin14 } from '../../shared/domain/barcode.ts';
import { defineCollection } from '../../shared/store/collections.ts';

export type Product = z.output<typeof ProductSchema>;
export type Basket = z.output<typeof BasketSchema>;

export const products = defineCollection({
  name: 'products',
  schema: ProductSchema,
  object: product,
  reference: true,
  unique: { sku: ({ sku }) => sku, gtin: ({ gtin }) => gtin14(gtin), label: ({ labelReference }) => labelReference },
});

export const baskets = defineCollection({
  name: 'baskets',
  schema: BasketSchema,
  object: basket,
  unique: { transaction: ({ transactionId }) => transactionId },
  // The index has open and locked baskets only: after months, a customer has thousands of baskets, but few of these.
  index: { customer: ({ customerId, state }) => (state === 'open' || state === 'locked' ? customerId : undefined) },
});

/** The basket of a transaction at the till, by the transaction's id, recorded before the basket is locked. */
const TillBasket = z.object({
  id: z.string(),
  version: z.int(),
  basketId: Id.optional(),
  /** Whether the till abandoned the transaction. A late request for its basket is then refused. */
  abandoned: z.literal(true).optional(),
});
export type TillBasket = z.output<typeof TillBasket>;

export const tillBaskets = defineCollection({ name: 'till-baskets', schema: TillBasket });

/**
 * The progress of a basket's checkout at other applications, one record per basket.
 * - `running`: a request takes stock and voucher uses.
 * - `changing`: a request changes the values and voucher uses of a locked basket.
 * - `undoing`: stock and voucher uses are being given back.
 * - `placing`: the basket is converted, and the OMS has not confirmed its order yet.
 * - `settled`: nothing is in progress.
 */
const CheckoutRecord = z.object({
  id: z.string(),
  version: z.int(),
  phase: z.enum(['running', 'changing', 'undoing', 'placing', 'settled']),
  /** Counts the checkouts of the basket. It is part of the keys of their calls, so different checkouts make different calls. */
  attempt: z.int().min(1),
  /** The request that runs it. A rerun of this request continues the checkout. */
  owner: z.string(),
  /** The reservation, and the version of the basket that it was made for. */
  hold: z
    .object({ reservationId: Id, expiresAt: Instant.optional(), basketVersion: z.int(), from: CollectionSource.optional() })
    .optional(),
  /** A request of a till without a recorded answer. Due work repeats it under its key, to find and release its reservation. */
  asked: z.object({ locationId: Id, items: z.array(SkuQuantity) }).optional(),
  /** Counts the requests of a till in this attempt. */
  round: z.int().min(1).optional(),
  /** Whether voucher uses may be locked for the basket. */
  vouchers: z.boolean(),
  /** `contactDigest` of the checkout's contact. */
  contact: z.string().optional(),
  /** Whether the card in that contact could not be read. A repeat with the same contact then reads it. */
  cardUnread: z.literal(true).optional(),
  /** The tier of its member, which decides the discounts of the order after a change, too. */
  tier: Tier.optional(),
  /** When it priced the basket, and the tax of the product of each line then. A change of the order keeps both. Absent in records of earlier versions. */
  pricing: z
    .object({ at: Instant, productTaxes: z.array(ProductSchema.pick({ taxRate: true, taxCategory: true }).extend({ lineId: Id })) })
    .optional(),
});
export type CheckoutRecord = z.output<typeof CheckoutRecord>;

export const checkouts = defineCollection({ name: 'checkouts', schema: CheckoutRecord });

/** The id differs from the basket's id, so that an `If-Match` for the basket does not match this record. */
export const checkoutIdOf = (basketId: string): string => `${basketId}.checkout`;
