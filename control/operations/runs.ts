import * as declared from '../../shared/catalog/control/operations/runs.ts';
import { operateOnRehearsals } from '../operate.ts';

export const listScenarios = operateOnRehearsals(declared.listScenarios)(async (_input, { runs }) => ({
  items: [...(await runs.scenarios())],
}));

export const startRun = operateOnRehearsals(declared.startRun)(({ body }, { runs }) => runs.start(body.scenario));

export const listRuns = operateOnRehearsals(declared.listRuns)(async (_input, { runs }) => ({ items: [...(await runs.list()).items] }));

export const readRun = operateOnRehearsals(declared.readRun)(({ params }, { runs }) => runs.read(params.id));

export const deleteRun = operateOnRehearsals(declared.deleteRun)(async ({ params, query }, { runs }) => {
  await runs.remove(params.id, { keepsEnded: query.ended === 'keep' });
  return null;
});
