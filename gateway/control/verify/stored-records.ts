import type { z } from 'zod';
import type { Return as ReturnSchema } from '../../../shared/catalog/fulfillment/returns.ts';
import type { LoyaltyAccount as LoyaltyAccountSchema } from '../../../shared/catalog/loyalty/objects.ts';

export type Account = z.output<typeof LoyaltyAccountSchema>;

/** A redemption of points as the Loyalty Platform stores it. */
export interface Redemption {
  readonly id: string;
  readonly state: 'open' | 'spent' | 'returned';
  readonly accountId: string;
  readonly basketId?: string;
  readonly orderId?: string;
  readonly points: number;
  readonly paymentId?: string;
  readonly spentPoints: number;
  readonly reversedPoints: number;
}

/** A return as the FMS stores it. */
export type Return = z.output<typeof ReturnSchema> & { readonly rejecting?: unknown };

/** The booking of a return at the OMS. */
export interface ReturnBooking {
  readonly id: string;
  readonly orderId: string;
  readonly status: 'open' | 'refunding' | 'refunded' | 'exchanged' | 'rejected';
  readonly lines: readonly { readonly orderLineId: string; readonly qty: number; readonly amount: number }[];
}
