import { getPayable as getPayableCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orderById } from '../order/by-id.ts';
import { payableOf } from '../returns/payable.ts';

/** The Payment Hub decides by state, total and returns what may still be paid or paid back; the OMS only reports. */
export const getPayable = handle(getPayableCall)(async ({ params }, { work }) => payableOf(work, await orderById(work, params.id)));
