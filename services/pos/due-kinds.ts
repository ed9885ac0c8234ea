import { z } from 'zod';

/** Due work of a transaction; its key is the transaction's id. */

/** Gives up a transaction whose basket never came. */
export const ABANDON_OPENING = 'abandon-opening';
/** Finds out what became of a tender whose answer never came, or whose request died. */
export const RESOLVE_TENDER = 'resolve-tender';
/** Has the OMS make and complete the order of a paid sale. */
export const SUBMIT_ORDER = 'submit-order';
/** Voids the tenders of a voided transaction and abandons its basket. */
export const UNDO_SALE = 'undo-sale';
/** Voids a transaction that nobody pays. */
export const EXPIRE_TRANSACTION = 'expire-transaction';

/** How often work was put off because somebody else is down. */
export const triesOf = (payload: unknown): number => Tries.parse(payload)?.tries ?? 0;

const Tries = z.object({ tries: z.int() }).nullable();
