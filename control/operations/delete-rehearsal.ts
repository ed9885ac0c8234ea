import { deleteRehearsal as operation } from '../../shared/catalog/control/operations/rehearsals.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { DEFAULT_REHEARSAL } from '../../shared/domain/ids.ts';
import { operateOnRehearsals } from '../operate.ts';
import { unknownRehearsal } from '../rehearsals/rehearsals.ts';

export const deleteRehearsal = operateOnRehearsals(operation)(async ({ params }, { worlds }) => {
  if (params.name === DEFAULT_REHEARSAL) {
    throw new Problem(
      'forbidden',
      'The default rehearsal cannot be deleted. Reset it instead: POST /_control/reset, or the command `rehearsals reset default`.',
    );
  }
  if (!(await worlds.remove(params.name))) throw unknownRehearsal(params.name);
  return null;
});
