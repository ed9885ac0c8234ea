import { z } from 'zod';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** `tries` counts how often the work was postponed because another application did not answer. */
const Tries = z.object({ tries: z.int() }).nullable();

// The key of due work is the transaction's id.

/** A transaction that never got a basket is given up. */
export const abandonOpeningDue = defineDueWork('abandon-opening');

/** Reads the outcome of a tender from the Payment Hub. */
export const resolveTenderDue = defineDueWork('resolve-tender', Tries);

/** The OMS creates and completes the order of a paid sale. */
export const submitOrderDue = defineDueWork('submit-order', Tries);

/** The till captures the tenders of a sale that the OMS does not accept. */
export const captureTendersDue = defineDueWork('capture-tenders');

/** The tenders and the basket of a voided transaction are given back. */
export const undoSaleDue = defineDueWork('undo-sale');

/** A transaction that stays unpaid is voided. */
export const expireTransactionDue = defineDueWork('expire-transaction');
