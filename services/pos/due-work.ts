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

const MINUTE_MS = 60_000;

/** Rehearsal time after which the till captures a paid sale. Authorisations live for 7 days. The source document does not specify it. */
export const CAPTURE_AT_TILL_MS = 24 * 60 * MINUTE_MS;

/** Rehearsal time until a transaction without a basket is given up. Until then its request may be repeated. */
export const OPENING_MS = 15 * MINUTE_MS;

/** Rehearsal time until unfinished work of a request is tried again. */
export const FIRST_RETRY_MS = 5_000;
const RETRIES_MS: readonly number[] = [FIRST_RETRY_MS, 30_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * 60 * MINUTE_MS, 6 * 60 * MINUTE_MS];
const LONGEST_RETRY_MS = 12 * 60 * MINUTE_MS;

/** Rehearsal time before the next call to an application that does not answer. Its return ends the wait. Retries never end. */
export const retryDelayMs = (tries: number): number => RETRIES_MS[tries] ?? LONGEST_RETRY_MS;

/** Wall time for an authorisation. If the Payment Hub has not answered by then, the outcome is unknown. */
export const AUTHORIZE_TIMEOUT_MS = 6_000;

/** Wall time for any other call. */
export const CALL_TIMEOUT_MS = 3_000;
