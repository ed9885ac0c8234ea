import type { z } from 'zod';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { hasOpenDispute, refundableOf } from '../../shared/catalog/payment/cover.ts';
import type { DisputeOutcome, Dispute as DisputeSchema } from '../../shared/catalog/payment/disputes.ts';
import { decideDispute as decideDisputeCall, disputePayment as disputePaymentCall } from '../../shared/catalog/payment/internal.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { isByProvider, isExternal } from '../../shared/catalog/payment/tender.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { payments, published, type StoredPayment } from './collections.ts';
import { nextSequence } from './funds.ts';
import { refund, refuseWhileDisputed } from './refunds.ts';

type Dispute = z.output<typeof DisputeSchema>;
type Outcome = z.output<typeof DisputeOutcome>;

/** A dispute is lost when nobody decides it in time. The key is the payment's id. */
const loseDisputeDue = defineDueWork('lose-dispute');

/** The bank of the cardholder withdraws an amount and a fee from the retailer. Refunds wait for the decision. */
export const disputePayment = handle(disputePaymentCall)(async ({ params, body }, { work }) => {
  const payment = await requireObject(work, payments, params.id);
  rowFor(paymentLifeCycle, payment, 'dispute');
  const { type } = payment.tender;
  if (!isByProvider({ type }) && !isExternal({ type })) {
    const detail = `The payment "${payment.id}" is by ${type}. Only a card, bnpl or an external payment has a provider that takes a dispute.`;
    throw refusal('payment', payment, 'dispute', detail);
  }
  refuseWhileDisputed(payment, 'dispute');
  const before = payment.disputes ?? [];
  if (before.length >= LIMITS.disputes) {
    const detail = `The payment "${payment.id}" has ${LIMITS.disputes} disputes, which is the limit.`;
    throw limitReached('disputes', detail, { objectType: 'payment', id: payment.id, remedy: 'Dispute another payment.' });
  }
  const most = refundableOf(payment);
  const amount = body.amount ?? most;
  if (amount.amount > most.amount || most.amount === 0) {
    const detail =
      most.amount === 0
        ? `Nothing of the payment "${payment.id}" is left to dispute: all that was captured is refunded, or was lost in a dispute.`
        : `${moneyInWords(most)} of the payment "${payment.id}" can be disputed, not ${moneyInWords(amount)}: refunded and lost amounts cannot.`;
    throw refusal('payment', payment, 'dispute', detail, { disputableAmount: most });
  }
  const respondBy = work.now + work.figures.windowMs.dispute;
  work.schedule(loseDisputeDue, payment.id, respondBy, {});
  const opened: Dispute = {
    id: `${payment.id}.dispute-${before.length + 1}`,
    state: 'open',
    reason: body.reason,
    amount: money(amount.amount, amount.currency),
    fee: money(work.figures.disputeFee, amount.currency),
    openedAt: instant(work.now),
    respondBy: instant(respondBy),
  };
  return published(work.transition(payments, payment, 'dispute', { disputes: [...before, opened] }));
});

export const decideDispute = handle(decideDisputeCall)(async ({ params, body: { outcome } }, scope) => {
  const { work } = scope;
  const payment = await requireObject(work, payments, params.id);
  if (hasOpenDispute(payment.disputes)) return published(await decide(scope, payment, outcome));
  const last = payment.disputes?.at(-1);
  if (last?.state === outcome) return again(published(payment));
  const why = last ? `its last dispute is ${last.state}` : 'it was never disputed';
  throw refusal(
    'payment',
    payment,
    `${outcome === 'won' ? 'win' : 'lose'}-dispute`,
    `The payment "${payment.id}" has no open dispute: ${why}.`,
  );
});

export const loseDispute = handleDue(loseDisputeDue)(async ({ key }, scope) => {
  const payment = await scope.work.get(payments, key);
  if (payment && hasOpenDispute(payment.disputes)) await decide(scope, payment, 'lost');
});

type Deciding = Pick<Scope, 'work' | 'context'>;

/** Ends the open dispute. A payment that was reversed during the dispute refunds its rest in the same commit. */
async function decide(scope: Deciding, payment: StoredPayment, outcome: Outcome): Promise<StoredPayment> {
  const { work } = scope;
  work.cancel(loseDisputeDue, payment.id);
  const end = { state: outcome, decidedAt: instant(work.now), decidedSequence: await nextSequence(work, payment.orderId) };
  const disputes = payment.disputes?.map((one) => (one.state === 'open' ? { ...one, ...end } : one));
  const verb = outcome === 'won' ? 'win-dispute' : 'lose-dispute';
  const decided = work.transition(payments, payment, verb, { disputes, refundWhenDecided: undefined });
  const rest = refundableOf(decided);
  if (!payment.refundWhenDecided || rest.amount === 0) return decided;
  return refund(scope, decided, { amount: rest });
}
