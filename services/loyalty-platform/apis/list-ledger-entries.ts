import { listLedgerEntries as listLedgerEntriesApi } from '../../../shared/catalog/loyalty/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { memberByIdOrCard } from '../account/members.ts';
import { ledgerEntries } from '../collections.ts';

export const listLedgerEntries = handle(listLedgerEntriesApi)(async ({ params, query }, { work }) => {
  const { id } = await memberByIdOrCard(work, params.id);
  const { items, ...page } = await work.find(ledgerEntries, 'account', id, query);
  return { ...page, items: items.map(({ id: _id, version: _version, accountId: _account, ...entry }) => entry) };
});
