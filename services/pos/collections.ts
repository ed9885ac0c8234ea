import { z } from 'zod';
import { Basket } from '../../shared/catalog/commerce/objects.ts';
import { OrderPayment } from '../../shared/catalog/order/objects.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** A payment as the Payment Hub last told of it; a lower version is older news. */
export const ListedTender = OrderPayment.extend({ version: z.int().min(0) });
export type ListedTender = z.output<typeof ListedTender>;

/**
 * A checkout at the till, under the id of its order.
 * `opening`: its basket is being priced and locked. `given-up`: it never got one. `open`: it is being paid. `paid`: the sale stands,
 * the OMS has not completed the order yet; when the OMS misses money, it is `open` again. `completed`, `voided`: over.
 */
const StoredTransaction = z.object({
  id: Id,
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
  state: z.enum(['opening', 'given-up', 'open', 'paid', 'completed', 'voided']),
  storeId: Id,
  laneId: Id,
  /** As it was locked. */
  basket: Basket.optional(),
  /** In the order in which they came. */
  tenders: z.array(ListedTender),
  /** Requests that asked the Payment Hub for a tender: each may ask again, and gets the same. */
  asked: z.array(z.string()),
  /** A tender that was asked for and is not listed. `running`: its request is at it. `unknown`: its answer never came. */
  pending: z.object({ owner: z.string(), requestId: z.string(), status: z.enum(['running', 'unknown']) }).optional(),
  voidReason: z.string().optional(),
  /** Tenders or the basket are still to be undone. */
  compensation: z.literal('pending').optional(),
  /** How often the OMS has missed money: what is submitted after that is another submission. */
  refusals: z.int().min(0).optional(),
  /** Of the moment at which it was paid first; nobody gets it while the sale is open. */
  receipt: z.object({ number: z.string(), issuedAt: Instant }).optional(),
});
export type StoredTransaction = z.output<typeof StoredTransaction>;
/** One that a till has begun: it has its basket. */
export type Sale = StoredTransaction & { readonly basket: z.output<typeof Basket> };

/** An If-Match is about the version that its order view shows. */
export const transactions = defineCollection({ name: 'transactions', schema: StoredTransaction, etag: true });

/** Where the retailer has tills. */
export const stores = defineCollection({ name: 'stores', schema: z.object({ id: Id, version: z.int(), name: z.string() }) });

/** Paid sales per lane and day: a receipt has the next number, without a gap. */
export const saleNumbers = defineCollection({
  name: 'sale-numbers',
  schema: z.object({ id: z.string(), version: z.int(), issued: z.int().min(0) }),
});
