import type { z } from 'zod';
import { listPayments } from '../../../shared/catalog/payment/internal.ts';
import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { CALL_TIMEOUT_MS } from '../timing.ts';

/** A payment as the Payment Hub publishes it. */
export type HubPayment = z.output<typeof Payment>;

/** @throws Problem `dependency_*` */
export async function readPayments({ call }: Pick<Scope, 'call'>, orderId: string): Promise<readonly HubPayment[]> {
  return (await call(listPayments, { query: { orderId } }, { timeoutMs: CALL_TIMEOUT_MS })).items;
}

/** Parses the object of a payment event. */
export const parsePayment = (object: unknown): HubPayment => Payment.parse(object);

/** Whether the payment holds money that a void or refund would release, or may still come to hold it. */
export const bindsMoney = ({ state }: Pick<HubPayment, 'state'>): boolean =>
  state === 'pending' || state === 'authorised' || state === 'captured' || state === 'partially-refunded';
