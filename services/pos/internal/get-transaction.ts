import { getTransaction as getTransactionCall } from '../../../shared/catalog/commerce/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { saleById } from '../transaction/transactions.ts';
import { published } from '../transaction/views.ts';

export const getTransaction = handle(getTransactionCall)(async ({ params }, { work }) => published(await saleById(work, params.id)));
