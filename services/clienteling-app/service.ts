import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { getCustomer360, logInteraction } from './customers.ts';

export const service = defineService({
  application: 'clienteling-app',
  collections: [],
  counters: [],
  apis: { 'get-customer-360-api': getCustomer360, 'log-interaction-api': logInteraction },
  internal: {},
  events: {},
  due: [],
});

/** The application stores nothing. */
export const seed = (): Seed => ({ objects: [] });
