import type { Fixtures } from '../../fixtures/load.ts';
import { defineService } from '../../shared/contract/handler.ts';
import type { Seed } from '../../shared/store/collections.ts';

export const service = defineService({
  application: 'pos',
  collections: [],
  counters: [],
  apis: {},
  internal: {},
  events: {},
  due: {},
});

export function seed(_fixtures: Fixtures, _now: number): Seed {
  return { objects: [] };
}
