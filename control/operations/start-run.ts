import { startRun as operation } from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const startRun = operateOnRehearsals(operation)(({ body }, { runs }) => runs.start(body.scenario));
