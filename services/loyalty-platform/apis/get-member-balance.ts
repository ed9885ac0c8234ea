import { getMemberBalance as getMemberBalanceApi } from '../../../shared/catalog/loyalty/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { memberBy } from '../account/members.ts';

export const getMemberBalance = handle(getMemberBalanceApi)(async ({ params }, { work }) => memberBy(work, params.id));
