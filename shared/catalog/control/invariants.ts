import type { Application } from '../applications.ts';

export interface InvariantRule {
  /** What always holds. */
  readonly title: string;
  /** The owners of private records that it needs. It is not checked while a real system is in place of one of them. */
  readonly needs?: readonly Application[];
  /** True when it reads only the events and the queues of the estate. */
  readonly independent?: boolean;
}

/** What must hold in each world, sorted as on the Invariants page. */
export const invariantRules = {
  money: { title: 'Captures do not exceed authorisations, refunds and disputes do not exceed captures, and no goods leave unpaid' },
  vouchers: {
    title: 'The uses of a voucher are the preset ones and one for each checkout and order that holds it, within its limit',
    needs: ['promotion-engine', 'ecommerce-platform', 'oms'],
  },
  points: {
    title:
      'Each point is in a balance, in an open redemption or in the payment it was redeemed for; a completed order earns once and keeps the points of the goods that its customer keeps and has paid, and the tier follows the points earned',
    needs: ['loyalty-platform'],
  },
  stock: {
    title:
      'Per SKU and location: no count is negative, open reservations equal the reserved units, no unit appears or vanishes, goods are sent from confirmed reservations only, and no ended basket, order or sale holds stock',
    needs: ['inventory-service'],
  },
  fulfilment: { title: 'Order lines, fulfillment orders, picking orders and parcels agree: each unit of a line is counted once' },
  returns: {
    title:
      'No unit is returned twice, before its delivery, or while it is in a parcel; no refund exceeds what the unit cost; returned stock is counted',
    needs: ['inventory-service'],
  },
  till: {
    title: 'Each checkout at the till has ended or is in progress; a voided transaction holds no payment and no stock',
    needs: ['pos', 'ecommerce-platform'],
  },
  replacements: {
    title:
      'Each delivered unit is replaced once at most, and not while it is returned; each replacement has its goods, and nobody pays for them',
    needs: ['oms'],
  },
  given: {
    title: 'Orders with given prices keep them to the last minor unit, and each payment and refund of an external provider is noted once',
  },
  references: { title: 'A reference names at most one object of its type, and each reference of an object finds it' },
  'one-effect': {
    title:
      'One effect per key: one order per basket, one open reservation per basket, one picking order per fulfillment order, one ledger entry and one refund per reference, one event per change',
  },
  'event-versions': { title: 'The event versions of each object run from 1 to its stored version without a gap' },
  moving: { title: 'Each accepted order has ended, is in progress, or waits for the warehouse, the carrier or a caller' },
  parked: { title: 'No work is parked: each application has done what it owes', independent: true },
  replay: { title: 'The last event of each object equals the stored object' },
} as const satisfies Readonly<Record<string, InvariantRule>>;

export type InvariantId = keyof typeof invariantRules;
