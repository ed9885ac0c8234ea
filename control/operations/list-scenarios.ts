import { listScenarios as operation } from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const listScenarios = operateOnRehearsals(operation)(async (_input, { runs }) => ({ items: [...(await runs.scenarios())] }));
