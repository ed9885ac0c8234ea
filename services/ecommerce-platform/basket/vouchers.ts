import type { z } from 'zod';
import type { BasketVoucher } from '../../../shared/catalog/commerce/objects.ts';
import { CURRENCY, money } from '../../../shared/domain/money.ts';

export type Voucher = z.output<typeof BasketVoucher>;

interface WithVouchers {
  readonly vouchers: readonly Voucher[];
}

/** Codes are compared without case. */
export const isSameCode = (one: string, other: string): boolean => one.toUpperCase() === other.toUpperCase();

/** The codes as they were typed, each once. */
export const distinctCodes = (codes: readonly string[]): string[] =>
  codes.filter((code, index) => codes.findIndex((other) => isSameCode(code, other)) === index);

/** All codes that were given, applied or rejected. */
export const givenCodes = ({ vouchers }: WithVouchers): string[] => vouchers.map(({ code }) => code);

export const appliedCodes = ({ vouchers }: WithVouchers): string[] =>
  vouchers.filter(({ status }) => status === 'applied').map(({ code }) => code);

export const rejectedVoucher = (code: string, reason: string): Voucher => ({
  code,
  status: 'rejected',
  reason,
  discount: money(0, CURRENCY),
});
