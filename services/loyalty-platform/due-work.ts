import { defineDueWork } from '../../shared/work/due-work.ts';

/** Returns the points of a redemption that nobody has spent. The key is the redemption. */
export const returnRedemption = defineDueWork('return-redemption');
