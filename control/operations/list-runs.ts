import { listRuns as operation } from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const listRuns = operateOnRehearsals(operation)(async (_input, { runs }) => ({ items: [...(await runs.list()).items] }));
