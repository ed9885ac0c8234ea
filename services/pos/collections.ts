import { z } from 'zod';
import { Basket } from '../../shared/catalog/commerce/objects.ts';
import { Order, OrderPayment } from '../../shared/catalog/order/objects.ts';
import { Payment } from '../../shared/catalog/payment/objects.ts';
import { Id, Instant } from '../../shared/catalog/shapes.ts';
import { defineCollection } from '../../shared/store/collections.ts';

/** A payment as last read from the Payment Hub. A lower version is older. */
export const ListedTender = OrderPayment.omit({ disputes: true }).extend({
  version: z.int().min(0),
  /** The receipt has what was given back in coins. Absent in tenders that an earlier release stored. */
  refunds: Payment.shape.refunds.optional(),
});
export type ListedTender = z.output<typeof ListedTender>;

/**
 * A checkout at the till, under the id of its order: a sale, or the payment of an order that waits at the counter.
 * - `opening`: the basket is being priced and locked.
 * - `given-up`: there is no basket and never will be.
 * - `open`: tenders are being taken.
 * - `paid`: the OMS has not completed the order yet. If the OMS finds that money is missing, the transaction is `open` again.
 * - `completed`, `voided`: final.
 */
const StoredTransaction = z.object({
  id: Id,
  version: z.int(),
  createdAt: Instant,
  updatedAt: Instant,
  state: z.enum(['opening', 'given-up', 'open', 'paid', 'completed', 'voided']),
  storeId: Id,
  laneId: Id,
  /** The basket as the eCommerce Platform locked it. */
  basket: Basket.optional(),
  /** The order whose goods wait at the counter, as last read from the OMS. Such a transaction has no basket. */
  collection: z.object({ order: Order, fulfillmentOrderId: Id, handedOver: z.literal(true).optional() }).optional(),
  /** All transactions of an order have its id. This one has a number, and the payments that earlier ones took and did not void. */
  opening: z.object({ number: z.int().min(1), earlierPayments: z.array(Id) }).optional(),
  /** The last requests that voided a payment of the order. A repeat of one of them voids no later one. */
  voidedBy: z.array(z.string()).optional(),
  /** The tenders, sorted by arrival. */
  tenders: z.array(ListedTender),
  /** The last requests that added a tender. A repeat of one of them gets the same tender again. */
  asked: z.array(z.string()),
  /** A tender that is not listed yet. `running`: its request is still running. `unknown`: its answer was lost. */
  pending: z.object({ owner: z.string(), requestId: z.string(), status: z.enum(['running', 'unknown']) }).optional(),
  voidReason: z.string().optional(),
  /** Whether tenders or the basket still have to be released. */
  compensation: z.literal('pending').optional(),
  /** How often the OMS reported that money is missing. After each report, the next submission has new keys. */
  refusals: z.int().min(0).optional(),
  /** Issued when the sale was first paid. It is not shown while the sale is open. */
  receipt: z.object({ number: z.string(), issuedAt: Instant }).optional(),
});
export type StoredTransaction = z.output<typeof StoredTransaction>;
/** A transaction with its basket. */
export type BasketSale = StoredTransaction & { readonly basket: z.output<typeof Basket>; readonly collection?: undefined };
/** The payment of an order that waits at the counter. It sells nothing: the order exists already. */
export type CollectionSale = StoredTransaction & {
  readonly basket?: undefined;
  readonly collection: NonNullable<StoredTransaction['collection']>;
};
/** A transaction that other applications can see. */
export type Sale = BasketSale | CollectionSale;

/** Transactions by id. `If-Match` is compared with their version, which the order view shows as its `ETag`. */
export const transactions = defineCollection({ name: 'transactions', schema: StoredTransaction, etag: true });

/** Stores with tills. */
export const stores = defineCollection({
  name: 'stores',
  reference: true,
  schema: z.object({ id: Id, version: z.int(), name: z.string(), timeZone: z.string().optional() }),
});

/** Issued receipt numbers per lane and day, without gaps. */
export const saleNumbers = defineCollection({
  name: 'sale-numbers',
  schema: z.object({ id: z.string(), version: z.int(), issued: z.int().min(0) }),
});
