import { listRehearsals as operation } from '../../shared/catalog/control/operations/rehearsals.ts';
import { operateOnRehearsals } from '../operate.ts';
import { describeRehearsal } from '../rehearsals/describe.ts';

export const listRehearsals = operateOnRehearsals(operation)(async (_input, { worlds }) => ({
  items: (await worlds.list()).map(describeRehearsal),
}));
