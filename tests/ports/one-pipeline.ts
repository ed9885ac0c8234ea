import { Agent } from 'undici';
import { contextFor } from '../../shared/control/context.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { dumpOf, type Seed } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import type { PlugElsewhere } from '../../shared/work/elsewhere.ts';
import type { AnyService } from '../../shared/work/handler.ts';
import { newJournalNotes } from '../../shared/work/job.ts';
import { createPipeline } from '../../shared/work/pipeline.ts';

/** A pipeline with the handlers of a test, as the application CRM, in its own world without a clock driver. */
export async function pipelineOf(
  parts: Partial<AnyService>,
  { seed = {}, plug }: { readonly seed?: Seed; readonly plug?: PlugElsewhere } = {},
) {
  const adapter = createMemoryStore();
  const data = { now: 1_000, applications: { crm: dumpOf(seed) }, due: [] };
  const world = await adapter.worlds.open('r', data, { bearer: '', apiKey: '', webhookSecret: '' });
  const none = { collections: [], counters: [], apis: {}, internal: {}, due: {}, events: {} };
  const agent = new Agent();
  const store = adapter.store('crm');
  const service: AnyService = { ...none, ...parts, application: 'crm' };
  const options = {
    service,
    store,
    control: adapter.control,
    directory: adapter.worlds,
    gatewayUrl: () => '',
    transport: createHttpTransport({ addressOf: () => '', token: '', agent }),
    agent,
    log: createLogger('silent'),
    strictResponses: true,
    relay: { token: 'relay', kick: () => undefined, holds: () => undefined, committed: () => undefined },
    stopping: new AbortController().signal,
  };
  const pipeline = createPipeline(options, plug);
  const context = contextFor({ world, now: 1_000, faults: 0 }, { principal: 'test', requestId: 'r', correlationId: 'c', withinMs: 5_000 });
  return {
    adapter,
    store,
    world,
    service,
    pipeline,
    consume: (event: EstateEvent) => pipeline.consume({ event, context, notes: newJournalNotes(context) }),
  };
}
