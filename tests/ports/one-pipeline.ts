import { Agent } from 'undici';
import { createLogger } from '../../shared/process/logger.ts';
import type { Context } from '../../shared/simulation/context.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { AnyService } from '../../shared/work/handler.ts';
import { createPipeline } from '../../shared/work/pipeline.ts';

/** The pipeline of an application that does what a test wants, under the name of the CRM, in a world of its own without a clock driver. */
export async function pipelineOf(parts: Partial<AnyService>) {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const none = { collections: [], counters: [], apis: {}, internal: {}, due: {}, events: {} };
  const pipeline = createPipeline({
    service: { ...none, ...parts, application: 'crm' },
    store: adapter.store('crm'),
    simulation: adapter.simulation,
    directory: adapter.worlds,
    gatewayUrl: () => '',
    addressOf: () => '',
    token: '',
    agent: new Agent(),
    log: createLogger('silent'),
    strictResponses: true,
    relay: () => undefined,
  });
  const context: Context = {
    world,
    now: 1_000,
    principal: 'test',
    requestId: 'r',
    correlationId: 'c',
    deadline: Date.now() + 5_000,
    faults: 0,
    chain: [],
  };
  return { adapter, world, pipeline, context };
}
