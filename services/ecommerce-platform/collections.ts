import { z } from 'zod';
import { Basket as BasketSchema, basket, Product as ProductSchema, product } from '../../shared/catalog/commerce/objects.ts';
import { Id, Instant, SkuQuantity } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

export type Product = z.output<typeof ProductSchema>;
export type Basket = z.output<typeof BasketSchema>;

export const products = defineCollection({
  name: 'products',
  schema: ProductSchema,
  object: product,
  unique: { sku: ({ sku }) => sku },
});

export const baskets = defineCollection({
  name: 'baskets',
  schema: BasketSchema,
  object: basket,
  unique: { transaction: ({ transactionId }) => transactionId },
  // Only while somebody may still buy it: a customer of months has thousands of baskets, and a few of these.
  index: { customer: ({ customerId, state }) => (state === 'open' || state === 'locked' ? customerId : undefined) },
});

/** Which basket a transaction at the till has or is getting, by the transaction's id. */
const TillBasket = z.object({
  id: z.string(),
  version: z.int(),
  basketId: Id.optional(),
  /** The till gave the transaction up: nothing is locked for it any more, however late it is asked for. */
  abandoned: z.literal(true).optional(),
});
export type TillBasket = z.output<typeof TillBasket>;

export const tillBaskets = defineCollection({ name: 'till-baskets', schema: TillBasket });

/**
 * What a basket's checkout has under way at other applications, one record per basket.
 * `running`: a request holds stock and vouchers for it. `changing`: a request gives a locked basket other values and vouchers. `undoing`: what it held is being given back. `placing`: the basket is
 * converted and the OMS still has to store the order. `settled`: nothing is under way.
 */
const CheckoutRecord = z.object({
  id: z.string(),
  version: z.int(),
  phase: z.enum(['running', 'changing', 'undoing', 'placing', 'settled']),
  /** Counts checkouts begun: what one of them asked of others is never mistaken for what another one asks. */
  attempt: z.int().min(1),
  /** The request that runs it; a rerun of the same request goes on where it was. */
  owner: z.string(),
  /** Stock that is held for the basket as it was at this version. */
  hold: z.object({ reservationId: Id, expiresAt: Instant.optional(), basketVersion: z.int() }).optional(),
  /**
   * What a till asked the SIM to hold, under a key of its own. Such a hold has no end: while its answer is missing, only asking
   * again tells what to give back.
   */
  asked: z.object({ locationId: Id, items: z.array(SkuQuantity) }).optional(),
  /** Counts what a till asked for in this attempt. */
  round: z.int().min(1).optional(),
  /** Whether the use of vouchers may be locked for the basket. */
  vouchers: z.boolean(),
  /** `contactDigest` of the contact that the checkout named. */
  contact: z.string().optional(),
});
export type CheckoutRecord = z.output<typeof CheckoutRecord>;

export const checkouts = defineCollection({ name: 'checkouts', schema: CheckoutRecord });

/** Not the basket's own id: an `If-Match` speaks of the basket, not of this record. */
export const checkoutIdOf = (basketId: string): string => `${basketId}.checkout`;
