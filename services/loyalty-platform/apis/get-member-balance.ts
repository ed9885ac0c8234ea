import { getMemberBalance as getMemberBalanceApi } from '../../../shared/catalog/loyalty/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { memberByIdOrCard } from '../account/members.ts';

export const getMemberBalance = handle(getMemberBalanceApi)(async ({ params }, { work }) => memberByIdOrCard(work, params.id));
