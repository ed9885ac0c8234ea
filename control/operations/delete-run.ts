import { deleteRun as operation } from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const deleteRun = operateOnRehearsals(operation)(async ({ params, query }, { runs }) => {
  await runs.remove(params.id, { keepsEnded: query.ended === 'keep' });
  return null;
});
