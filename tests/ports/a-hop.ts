import type { HopFacts, JournalEntry } from '../../shared/store/ports/journal.ts';

const FACTS: HopFacts = {
  kind: 'request',
  application: 'oms',
  api: 'get-order-api',
  method: 'GET',
  path: '/orders/ord_1',
  status: 200,
  startedAt: 1_000,
  at: 500,
  durationMs: 1,
  faults: [],
};

export const aHop = ({
  facts,
  ...entry
}: Partial<Omit<JournalEntry, 'facts'>> & { readonly facts?: Partial<HopFacts> } = {}): JournalEntry => ({
  requestId: 'r1',
  correlationId: 'c',
  head: '{}',
  ...entry,
  facts: { ...FACTS, ...facts },
});
