import type { z } from 'zod';
import type { Basket as BasketSchema } from '../../shared/catalog/commerce/objects.ts';
import type { Customer as CustomerSchema } from '../../shared/catalog/customer/objects.ts';
import { type FulfillmentOrder as FulfillmentOrderSchema, isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { PickingOrder as PickingOrderSchema } from '../../shared/catalog/fulfillment/picking-orders.ts';
import type { Return as ReturnSchema } from '../../shared/catalog/fulfillment/returns.ts';
import type { Shipment as ShipmentSchema } from '../../shared/catalog/fulfillment/shipments.ts';
import type { Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import type { LedgerEntry as LedgerEntrySchema, LoyaltyAccount as LoyaltyAccountSchema } from '../../shared/catalog/loyalty/objects.ts';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { grouped } from './invariant.ts';
import type { WorldRecords } from './world-records.ts';

export type Basket = z.output<typeof BasketSchema>;
export type Customer = z.output<typeof CustomerSchema>;
export type Order = z.output<typeof OrderSchema>;
export type PickingOrder = z.output<typeof PickingOrderSchema>;
export type Reservation = z.output<typeof ReservationSchema>;
export type Shipment = z.output<typeof ShipmentSchema>;
export type Payment = z.output<typeof PaymentSchema> & {
  readonly voidOnApproval?: true;
  readonly refundWhenDecided?: true;
  readonly acceptPartial?: boolean;
};
export type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema> & { readonly reservationId: string; readonly givenUp?: true };

/** States of a fulfillment order whose goods have left the node. */
const SHIPPED_STATES: ReadonlySet<string> = new Set(['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender']);

/** Whether its goods have left for the customer. The goods of a collection leave when they are handed over. */
export const hasLeft = ({ state, collection }: FulfillmentOrder): boolean =>
  collection === undefined ? SHIPPED_STATES.has(state) : state === 'delivered';

/** Whether the goods were given up after a loss, or brought back, before they reached the store of their collection. */
const missedStore = (found: FulfillmentOrder): boolean =>
  isTransfer(found) && found.collection?.readyAt === undefined && (found.state === 'returned-to-sender' || found.givenUp === true);

/** The location whose stock and reservation the goods have left. Goods on their way to a store stay in their reservation. */
export function leftFrom(found: FulfillmentOrder): string | undefined {
  if (hasLeft(found)) return found.collection?.locationId ?? found.locationId;
  return missedStore(found) ? found.locationId : undefined;
}

/** Whether its goods are on their way to the store where the customer collects them. */
export const isOnWayToStore = (found: FulfillmentOrder): boolean =>
  isTransfer(found) && found.shipments.length > 0 && found.collection?.readyAt === undefined && !missedStore(found);

export type LedgerEntry = z.output<typeof LedgerEntrySchema>;

/** A loyalty account with its whole ledger. */
export interface Account extends z.output<typeof LoyaltyAccountSchema> {
  readonly ledger: readonly LedgerEntry[];
}

type StoredEntry = LedgerEntry & { readonly accountId: string };

export const accountsOf = ({ of, records }: WorldRecords): readonly Account[] =>
  withLedgers(of<Account>('loyalty-account'), records<StoredEntry>('loyalty-platform', 'ledger-entries'));

export function seededAccounts({ seed }: WorldRecords): readonly Account[] {
  const { accounts = [], 'ledger-entries': entries = [] } = seed.applications['loyalty-platform']?.objects ?? {};
  const parsed = <T>(rows: readonly { readonly json: string }[]): readonly T[] => rows.map(({ json }) => JSON.parse(json) as T);
  return withLedgers(parsed<Account>(accounts), parsed<StoredEntry>(entries));
}

function withLedgers(accounts: readonly Account[], entries: readonly StoredEntry[]): readonly Account[] {
  const ledgers = grouped(entries, ({ accountId }) => accountId);
  return accounts.map((account) => ({ ...account, ledger: ledgers.get(account.id) ?? [] }));
}

/** A redemption of points as the Loyalty Platform stores it. */
export interface Redemption {
  readonly id: string;
  readonly state: 'open' | 'spent' | 'returned';
  readonly accountId: string;
  readonly basketId?: string;
  readonly orderId?: string;
  readonly points: number;
  readonly paymentId?: string;
  readonly paidAmount: number;
  readonly returnedAmount: number;
}

/** A return as the FMS stores it. */
export type Return = z.output<typeof ReturnSchema> & { readonly rejecting?: unknown };

/** The booking of a return at the OMS. */
export interface ReturnBooking {
  readonly id: string;
  readonly orderId: string;
  /** The replacement that was sent for its units. */
  readonly replacementId?: string;
  readonly status: 'open' | 'refunding' | 'refunded' | 'exchanged' | 'rejected';
  readonly lines: readonly { readonly orderLineId: string; readonly qty: number; readonly amount: number; readonly tax?: number }[];
}
