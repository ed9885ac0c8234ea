import { readRun as operation } from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const readRun = operateOnRehearsals(operation)(({ params }, { runs }) => runs.read(params.id));
