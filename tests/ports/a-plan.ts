import { randomUUID } from 'node:crypto';
import type { Plan } from '../../shared/store/ports/plan.ts';

export function aPlan(parts: Partial<Plan> = {}): Plan {
  return {
    operation: randomUUID(),
    last: true,
    now: 1_000,
    expect: [],
    put: [],
    unique: [],
    index: [],
    move: [],
    guard: [],
    events: [],
    due: [],
    ...parts,
  };
}

export const PAGE = { after: 0, limit: 100 };
/** The reported wait after a change that starts no due work. */
export const NEVER_BEGINS = Number.POSITIVE_INFINITY;
export const OK = { ok: true };
export const STALE = { ok: false, why: 'version' };
export const NOT_HELD = { ok: false, why: 'held' };

export const putting = (id: string, read = 0, json = `{"id":"${id}"}`) => ({ collection: 'things', id, read, version: read + 1, json });
export const indexed = (name: string, id: string, value: string | null, was: string | null = null) => ({
  collection: 'things',
  name,
  id,
  value,
  was,
});
export const moving = (by: number, field = 'f') => ({ counter: 'c', key: 'k', field, by });
export const event = (id: string, ...subscribers: readonly ('crm' | 'loyalty-platform')[]) => ({ ...entry(id), subscribers });
export const entry = (id: string) => ({ id, topic: 't', key: 'k', json: `{"id":"${id}"}` });
export const timer = (key: string, at: number | null, payload = '1') => ({ kind: 'timer', key, at, payload, correlationId: 'c' });
export const dueFence = (key: string, token = 'mine') => ({ kind: 'due', key: `oms|timer|${key}`, token }) as const;
export const DELIVERY = { kind: 'delivery', key: 'crm|e1' } as const;
