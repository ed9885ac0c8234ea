import type { z } from 'zod';
import { listPayments } from '../../../shared/catalog/payment/internal.ts';
import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { ListedTender } from '../collections.ts';
import { CALL_TIMEOUT_MS } from '../timing.ts';

/** A payment as the Payment Hub publishes it. */
export type HubPayment = z.output<typeof Payment>;

/** @throws Problem `dependency_*` */
export async function readPayments({ call }: Pick<Scope, 'call'>, orderId: string): Promise<readonly HubPayment[]> {
  return (await call(listPayments, { query: { orderId } }, { timeoutMs: CALL_TIMEOUT_MS })).items;
}

export const parsePayment = (object: unknown): HubPayment => Payment.parse(object);

/** Whether the payment holds money that a void or refund would release, or may hold it later. */
export const bindsMoney = ({ state }: Pick<HubPayment, 'state'>): boolean =>
  state === 'pending' || state === 'authorised' || state === 'captured' || state === 'partially-refunded';

const tenderOf = ({ id, version, state, tender, amount, capturedAmount, refundedAmount }: HubPayment): ListedTender => ({
  id,
  version,
  state,
  tender,
  amount,
  capturedAmount,
  refundedAmount,
});

/** Adds or updates the tender of a payment; older versions change nothing. @returns the same array without a change */
export function listTender(tenders: readonly ListedTender[], payment: HubPayment): readonly ListedTender[] {
  const known = tenders.find(({ id }) => id === payment.id);
  if (!known) return [...tenders, tenderOf(payment)];
  if (known.version >= payment.version) return tenders;
  return tenders.map((tender) => (tender.id === payment.id ? tenderOf(payment) : tender));
}

export const listTenders = (tenders: readonly ListedTender[], payments: readonly HubPayment[]): ListedTender[] => [
  ...payments.reduce(listTender, tenders),
];
