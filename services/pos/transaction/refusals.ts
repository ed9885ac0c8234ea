import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import type { Sale } from '../collections.ts';

const notOpen = ({ id, state }: Sale, action: string, detail: string, extra: Readonly<Record<string, unknown>> = {}): Problem =>
  refusal('transaction', { id, state }, action, detail, { allowedFrom: ['open'], ...extra });

/** 409 for an action that only an open transaction allows. */
export const transactionNotOpen = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `The transaction "${sale.id}" is ${sale.state}; ${action} is possible while it is open.`);

/** 409 for Void Transaction on a covered transaction. */
export const nothingOutstanding = (sale: Sale): Problem =>
  notOpen(sale, 'void', `Nothing is outstanding on the transaction "${sale.id}": it is paid, and can only be returned.`);

/** 409, retryable: if a pending tender is declined, something is outstanding again. */
export const awaitingApproval = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `Pending payments may cover the transaction "${sale.id}"; send this again if they are declined.`, {
    retryable: true,
  });

/** 409, retryable: another request is authorising a tender, and its outcome decides. */
export const tenderUnderWay = (sale: Sale, action: string): Problem =>
  notOpen(sale, action, `Another request is adding a tender to the transaction "${sale.id}"; send this again after it.`, {
    retryable: true,
    retryAfter: 1,
  });

/** 409, retryable: other work is submitting the paid sale to the OMS, and its outcome decides. */
export const submissionUnderWay = (sale: Sale): Problem =>
  refusal(
    'transaction',
    sale,
    'submit',
    `The transaction "${sale.id}" is paid, and its order is being submitted. Send this again with the same Idempotency-Key.`,
    { allowedFrom: ['paid'], retryable: true, retryAfter: 1 },
  );
