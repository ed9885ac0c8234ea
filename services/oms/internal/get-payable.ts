import { getPayable as getPayableCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orderById } from '../collections.ts';
import { payableOf } from '../returns/payable.ts';

/** The Payment Hub decides from state, total and returns which payments and refunds it accepts. */
export const getPayable = handle(getPayableCall)(async ({ params }, { work }) => payableOf(work, await orderById(work, params.id)));
