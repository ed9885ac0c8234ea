import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { endedId, endedOwners } from './collections.ts';

export interface Owner {
  readonly basketId?: string;
  readonly orderId?: string;
}

interface Ended {
  readonly id: string;
  readonly state: string;
}

const NEVER_WRITTEN = 0;

const keysOf = ({ basketId, orderId }: Owner): (readonly ['order' | 'basket', string])[] => [
  ...(orderId === undefined ? [] : [['order', orderId] as const]),
  ...(basketId === undefined ? [] : [['basket', basketId] as const]),
];

/** @returns 409 when the order or basket has ended; undefined otherwise, and then the commit fails if it ends in the meantime */
export async function findEnd(work: UnitOfWork, owner: Owner): Promise<Problem | undefined> {
  for (const [objectType, id] of keysOf(owner)) {
    const key = endedId(objectType, id);
    const ended = await work.get(endedOwners, key);
    if (ended) return ownerEnded(objectType, id, ended.state);
    work.expect(endedOwners, { id: key, version: NEVER_WRITTEN, state: 'none' });
  }
  return undefined;
}

/** Records that an order or basket has ended. From then on no stock is reserved for it. */
export async function markEnded(work: UnitOfWork, objectType: 'order' | 'basket', { id, state }: Ended): Promise<void> {
  const key = endedId(objectType, id);
  if (!(await work.get(endedOwners, key))) work.put(endedOwners, { id: key, state });
}

const ownerEnded = (objectType: 'order' | 'basket', id: string, currentState: string): Problem =>
  refusal(
    objectType,
    { id, state: currentState },
    'reserve',
    `The ${objectType} "${id}" has ended (${currentState}); no stock is reserved for it any more.`,
  );
