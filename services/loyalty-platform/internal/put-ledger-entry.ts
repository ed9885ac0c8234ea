import { putLedgerEntry as putLedgerEntryCall } from '../../../shared/catalog/loyalty/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/contract/handler.ts';
import { reverse } from '../reverse.ts';
import { spend } from '../spend.ts';

/** The ledger's entries that other applications cause; the reference makes each of them once. */
export const putLedgerEntry = handle(putLedgerEntryCall)(async ({ params: { type, reference }, body }, { work }) => {
  if (type === 'spend') return spend(work, reference, body);
  if (type === 'reverse') return reverse(work, reference, body);
  throw notFound('type of ledger entry', type);
});
