import { getReturn as getReturnCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published, returnById } from '../returns/collections.ts';

export const getReturn = handle(getReturnCall)(async ({ params: { id } }, { work }) => published(await returnById(work, id)));
