import type { z } from 'zod';
import type { Payment as PaymentSchema, Refund as RefundSchema } from './objects.ts';

type Refund = z.output<typeof RefundSchema>;
type Payments = readonly {
  readonly refunds: readonly (Pick<Refund, 'state' | 'amount' | 'at' | 'decidedAt' | 'sequence' | 'decidedSequence'> & Purpose)[];
  readonly disputes?: z.output<typeof PaymentSchema>['disputes'];
}[];

/** Names a refund by its payment and its index among the refunds of the payment. */
export const refundId = (paymentId: string, index: number): string => `${paymentId}.refund-${index + 1}`;

export const hasFailed = ({ state }: Pick<Refund, 'state'>): boolean => state === 'failed';

/** Minor units of refunds that have not failed. Pending ones count: their money is on its way. */
export const committedOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, refund) => (hasFailed(refund) ? sum : sum + refund.amount.amount), 0);

/** Minor units of refunds that the tender has received. */
export const succeededOf = (refunds: readonly Pick<Refund, 'state' | 'amount'>[]): number =>
  refunds.reduce((sum, { state, amount }) => (state === 'succeeded' ? sum + amount.amount : sum), 0);

type Purpose = Pick<Refund, 'returnId' | 'reference'>;

/**
 * What a refund pays back: a return, or the units that its reference names. A repeat of a reference appends a number. Undefined: what its
 * caller decided, which may be anything but a return.
 */
const purposeOf = ({ returnId, reference }: Purpose): string | undefined => returnId ?? reference?.split('/').slice(0, 3).join('/');

export const isSamePurpose = (one: Purpose, other: Purpose): boolean => purposeOf(one) === purposeOf(other);

/** A refund, or a lost dispute, among the payments of an order. */
interface Deed {
  readonly refund: Purpose;
  readonly at: string;
  /** Absent if an earlier release stored it. */
  readonly sequence: number | undefined;
  readonly amount: number;
  readonly payment: number;
  readonly position: number;
}

interface Timed {
  readonly at?: string | undefined;
  readonly sequence?: number | undefined;
}

/** Sorts by instant, and within an instant by sequence. */
export const byTime = ({ at = '', sequence = 0 }: Timed, { at: other = '', sequence: otherSequence = 0 }: Timed): number =>
  at === other ? sequence - otherSequence : at < other ? -1 : 1;

/** The number of a repeat by the OMS, which its reference for missing units ends with. */
const repeatOf = (reference: string): number => Number(reference.split('/')[3] ?? 0);

/** Minor units that were paid for a return before a refund by the OMS, which its reference ends with. */
const paidBefore = (reference: string): number => Number(reference.split('/')[2] ?? 0);

/**
 * Whether a request was made after a failure. Both may have the same instant, and an earlier release stored no sequence: then the refunds
 * of one payment have the sequence of their requests, and the references of the estate show whether the refund of another payment is
 * another share of the same amount.
 */
function isAfter(request: Deed, failure: Deed): boolean {
  if (request.at !== failure.at) return request.at > failure.at;
  if (request.sequence !== undefined && failure.sequence !== undefined) return request.sequence > failure.sequence;
  if (request.payment === failure.payment) return request.position > failure.position;
  const [asked, failed] = [request.refund.reference, failure.refund.reference];
  if (asked === undefined || failed === undefined) return true;
  if (request.refund.returnId === undefined) return repeatOf(asked) > repeatOf(failed);
  const [from, failedFrom] = [paidBefore(asked), paidBefore(failed)];
  return from < failedFrom + failure.amount && failedFrom < from + request.amount;
}

/**
 * Failed refunds, each with the minor units that no later refund repeats. A repeat is requested after the failure, and may be pending. A
 * refund without return and reference, or a lost dispute, repeats any failed refund that is not for a return.
 */
function owedByFailure(payments: Payments): readonly Owed[] {
  const refunds = payments.flatMap((paid, payment) => paid.refunds.map((refund, position) => ({ refund, payment, position })));
  const failures = refunds
    .filter(({ refund }) => hasFailed(refund))
    .map((one) => ({ ...one, at: one.refund.decidedAt ?? '', sequence: one.refund.decidedSequence, amount: one.refund.amount.amount }))
    .toSorted(byTime)
    .map((failure) => ({ failure, purpose: purposeOf(failure.refund) ?? '', left: failure.amount }));
  if (failures.length === 0) return [];
  const requests = refunds.map((one) => ({
    ...one,
    at: one.refund.at ?? '',
    sequence: one.refund.sequence,
    amount: one.refund.amount.amount,
  }));
  const lost = payments.flatMap(({ disputes = [] }, payment) =>
    disputes
      .filter(({ state }) => state === 'lost')
      .map(({ decidedAt = '', decidedSequence, amount: { amount } }) => ({
        refund: {},
        at: decidedAt,
        sequence: decidedSequence,
        amount,
        payment,
        position: Number.POSITIVE_INFINITY,
      })),
  );
  const returns = new Set(refunds.flatMap(({ refund: { returnId } }) => returnId ?? []));
  // An order may have ten thousand refunds, so each request looks only at the failures before it that nothing has repeated.
  const ofNoReturn = { owed: failures.filter(({ purpose }) => !returns.has(purpose)), from: 0 };
  const ofPurpose = new Map([...Map.groupBy(failures, ({ purpose }) => purpose)].map(([purpose, owed]) => [purpose, { owed, from: 0 }]));
  for (const request of [...requests, ...lost].toSorted(byTime)) {
    const purpose = purposeOf(request.refund) ?? '';
    const alike = purpose === '' ? ofNoReturn : ofPurpose.get(purpose);
    if (alike) repeat(request, alike);
  }
  return failures;
}

interface Owed {
  readonly failure: Deed;
  readonly purpose: string;
  left: number;
}

/** Failures sorted by time. Those before `from` are repeated. */
interface Alike {
  readonly owed: readonly Owed[];
  from: number;
}

/** Gives the amount of a request to the failures before it. */
function repeat(request: Deed, alike: Alike): void {
  while (alike.owed[alike.from]?.left === 0) alike.from += 1;
  let rest = request.amount;
  for (let place = alike.from; rest > 0; place++) {
    const owed = alike.owed[place];
    if (!owed || isBefore(request, owed.failure)) return;
    if (!isAfter(request, owed.failure)) continue;
    const repeated = Math.min(rest, owed.left);
    owed.left -= repeated;
    rest -= repeated;
  }
}

/** Whether a request was certainly made before a failure, and so before all later ones. */
const isBefore = (request: Deed, failure: Deed): boolean =>
  request.at < failure.at ||
  (request.at === failure.at && request.sequence !== undefined && failure.sequence !== undefined && request.sequence < failure.sequence);

/** Minor units of failed refunds that no later refund repeats. @param purpose only those that repeat this return or reference */
export function owedAfterFailures(payments: Payments, purpose?: Purpose): number {
  const wanted = purpose && (purposeOf(purpose) ?? '');
  return owedByFailure(payments).reduce((sum, one) => (wanted === undefined || one.purpose === wanted ? sum + one.left : sum), 0);
}
