import { timingSafeEqual } from 'node:crypto';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import {
  completePaymentAction as completePaymentActionCall,
  readPaymentAction as readPaymentActionCall,
} from '../../shared/catalog/payment/internal.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { originOf, paymentPage, paymentPageToken } from '../../shared/control/world-addresses.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { authenticate, failAuthentication } from './authorization.ts';
import { payments, published, type StoredPayment } from './collections.ts';

/** The page at the gateway where the customer authenticates a payment. */
export const actionUrlOf = (paymentId: string, scope: Pick<Scope, 'webhooks' | 'context'>): Promise<string> =>
  paymentPage(originOf(scope), paymentId);

/** A wrong token and an unknown payment have the same answer. @throws Problem `not_found` */
async function requireToken(id: string, token: string, scope: Scope): Promise<void> {
  const [given, expected] = [Buffer.from(token), Buffer.from(await paymentPageToken(originOf(scope), id))];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw notFound('payment', id);
}

/** A decision is final: a repeated or late one is refused, and changes nothing. */
export const completePaymentAction = handle(completePaymentActionCall)(async ({ params: { id }, body }, scope) => {
  const { work } = scope;
  if (body.token !== undefined) await requireToken(id, body.token, scope);
  const payment = await requireObject(work, payments, id);
  if (payment.state !== 'requires-action') throw alreadyDecided(payment);
  return published(body.outcome === 'succeeded' ? authenticate(work, payment) : failAuthentication(work, payment, 'authentication_failed'));
});

function alreadyDecided(payment: StoredPayment) {
  const detail = `The payment "${payment.id}" is ${payment.state}, so it does not wait for an action of its customer. A payment with tok_3ds waits for one, at most 15 minutes.`;
  return refusal(paymentLifeCycle, payment, 'authenticate', detail);
}

export const readPaymentAction = handle(readPaymentActionCall)(async ({ params: { id }, body }, scope) => {
  await requireToken(id, body.token, scope);
  const payment = await requireObject(scope.work, payments, id);
  return { payment: published(payment), returnUrl: payment.returnUrl };
});
