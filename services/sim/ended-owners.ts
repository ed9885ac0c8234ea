import { Problem } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { endedId, endedOwners } from './collections.ts';

/** Whom a reservation is of. */
export interface Owner {
  readonly basketId?: string | undefined;
  readonly orderId?: string | undefined;
}

const NEVER_WRITTEN = 0;

const namesOf = ({ basketId, orderId }: Owner): (readonly ['order' | 'basket', string])[] => [
  ...(orderId === undefined ? [] : [['order', orderId] as const]),
  ...(basketId === undefined ? [] : [['basket', basketId] as const]),
];

/** Why nothing is held for it any more. Undefined: it is not over, and the commit is refused when it ends meanwhile. */
export async function endOf(work: UnitOfWork, owner: Owner): Promise<Problem | undefined> {
  for (const [objectType, id] of namesOf(owner)) {
    const key = endedId(objectType, id);
    const ended = await work.get(endedOwners, key);
    if (ended) return over(objectType, id, ended.state);
    work.expect(endedOwners, { id: key, version: NEVER_WRITTEN, state: 'none' });
  }
  return undefined;
}

/** Nothing is held for it from now on. */
export async function markEnded(work: UnitOfWork, objectType: 'order' | 'basket', { id, state }: Ended): Promise<void> {
  const key = endedId(objectType, id);
  if (!(await work.get(endedOwners, key))) work.put(endedOwners, { id: key, state });
}

interface Ended {
  readonly id: string;
  readonly state: string;
}

const over = (objectType: 'order' | 'basket', id: string, currentState: string): Problem =>
  new Problem('invalid_state_transition', `The ${objectType} "${id}" is over (${currentState}); no stock is held for it any more.`, {
    ...{ objectType, id, currentState, action: 'reserve', allowedFrom: [] },
  });
