import { Problem } from '../catalog/problems.ts';

/** A credential of one rehearsal reaches neither another rehearsal nor what all rehearsals share. @param bound its rehearsal */
export const outOfReach = (bound: string, remedy = ''): Problem =>
  new Problem('forbidden', `The credential belongs to the rehearsal "${bound}" and reaches no other.${remedy}`, { rehearsal: bound });
