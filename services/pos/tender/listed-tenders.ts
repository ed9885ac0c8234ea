import type { ListedTender } from '../collections.ts';
import type { HubPayment } from './hub-payments.ts';

const tenderOf = ({ id, version, state, tender, amount, capturedAmount, refundedAmount }: HubPayment): ListedTender => ({
  id,
  version,
  state,
  tender,
  amount,
  capturedAmount,
  refundedAmount,
});

/**
 * Adds or updates the tender of a payment. An older version of the payment changes nothing.
 * @returns the same array when nothing changes
 */
export function listTender(tenders: readonly ListedTender[], payment: HubPayment): readonly ListedTender[] {
  const known = tenders.find(({ id }) => id === payment.id);
  if (!known) return [...tenders, tenderOf(payment)];
  if (known.version >= payment.version) return tenders;
  return tenders.map((tender) => (tender.id === payment.id ? tenderOf(payment) : tender));
}

export const listTenders = (tenders: readonly ListedTender[], payments: readonly HubPayment[]): ListedTender[] => [
  ...payments.reduce(listTender, tenders),
];
