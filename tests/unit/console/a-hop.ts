import type { ListedHop } from '../../../ui/data/hop.ts';

export const aHop = (requestId: string, application: string, given: Partial<ListedHop> = {}): ListedHop => ({
  requestId,
  correlationId: 'c',
  sequence: 1,
  application,
  api: `${requestId}-api`,
  method: 'POST',
  path: `/${requestId}`,
  status: 200,
  startedAt: '2026-11-22T11:15:53.000Z',
  at: '2026-11-22T11:15:53.000Z',
  durationMs: 1,
  calls: [],
  faults: [],
  ...given,
});

/** The hops of a confirmed order, sorted by completion: nested calls first. */
export const confirmedOrder: readonly ListedHop[] = [
  aHop('list-payments', 'payment-hub', { parentId: 'confirm', sequence: 1 }),
  aHop('get-reservation', 'sim', { parentId: 'allocate', sequence: 2 }),
  aHop('allocate', 'inventory-service', {
    parentId: 'fulfill',
    sequence: 3,
    durationMs: 403,
    calls: ['get-reservation'],
    faults: ['slow-allocation'],
  }),
  aHop('fulfill', 'fms', { parentId: 'confirm', sequence: 4, durationMs: 406, calls: ['allocate'] }),
  aHop('confirm', 'oms', { sequence: 5, durationMs: 490, calls: ['list-payments', 'fulfill'] }),
  aHop('taken-in', 'wms', { parentId: 'fulfill', api: 'event:order-routed', sequence: 6, method: 'CONSUME' }),
];
