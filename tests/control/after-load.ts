import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { objectExamples } from '../../shared/catalog/examples.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';

/** A world whose journal got ten thousand reads of one order, and has discarded the older half. */
export async function afterLoad<Scope>() {
  const { worlds, control } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const at = '2026-03-01T10:00:00.000Z';
  for (let n = 0; n < 10_000; n++) {
    const ids = { requestId: `r${n}`, correlationId: `c${n}` };
    const shown = { application: 'oms', api: 'get-order-api', method: 'GET', path: '/orders/ord_1', status: 200, durationMs: 1 };
    control.journal(world, aHop({ ...ids, head: JSON.stringify({ ...ids, ...shown, startedAt: at, at, calls: [], faults: [] }) }));
  }
  const objects = objectsOf(registeredApplications.map(({ service }) => service));
  const order = objectExamples.find(({ definition }) => definition.type === 'order')?.object ?? {};
  const found = { id: 'ord_1', order: 1, version: 1, json: JSON.stringify({ ...order, id: 'ord_1' }) };
  return { scope: { worlds, objects, view: { world, now: 1_000 } } as unknown as Scope, found, objects };
}
