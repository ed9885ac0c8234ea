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
