import { BASICS } from './basics.ts';
import { CLAIM_RECORDS } from './claim-records.ts';
import { DRIVERS } from './drivers.ts';
import { DUE_ITEMS } from './due-items.ts';

/** The beginning of every script. */
export const PRELUDE = [BASICS, DUE_ITEMS, DRIVERS, CLAIM_RECORDS].join('');
