import { z } from 'zod';
import { Basket as BasketSchema, basket, Product as ProductSchema, product } from '../../shared/catalog/commerce/objects.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

export type Product = z.output<typeof ProductSchema>;
export type Basket = z.output<typeof BasketSchema>;

export const products = defineCollection({
  name: 'products',
  schema: ProductSchema,
  object: product,
  unique: { sku: ({ sku }) => sku },
});

export const baskets = defineCollection({ name: 'baskets', schema: BasketSchema, object: basket });

/**
 * What a basket's checkout has under way at other applications, one record per basket.
 * `running`: a request holds stock and vouchers for it. `undoing`: what it held is being given back. `placing`: the basket is
 * converted and the OMS still has to store the order. `settled`: nothing is under way.
 */
const CheckoutRecord = z.object({
  id: z.string(),
  version: z.int(),
  phase: z.enum(['running', 'undoing', 'placing', 'settled']),
  /** Counts checkouts begun: what one of them asked of others is never mistaken for what another one asks. */
  attempt: z.int().min(1),
  /** The request that runs it; a rerun of the same request goes on where it was. */
  owner: z.string(),
  /** Stock that is held for the basket as it was at this version. */
  hold: z.object({ reservationId: Id, expiresAt: Instant, basketVersion: z.int() }).optional(),
  /** Whether the use of vouchers may be locked for the basket. */
  vouchers: z.boolean(),
});
export type CheckoutRecord = z.output<typeof CheckoutRecord>;

export const checkouts = defineCollection({ name: 'checkouts', schema: CheckoutRecord });

/** Not the basket's own id: an `If-Match` speaks of the basket, not of this record. */
export const checkoutIdOf = (basketId: string): string => `${basketId}.checkout`;
