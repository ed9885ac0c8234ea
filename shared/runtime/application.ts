import type { Application } from '../catalog/applications.ts';
import type { Bus } from '../events/bus.ts';
import { createEventFaults } from '../events/event-faults.ts';
import { createRelay } from '../events/relay.ts';
import type { Observability } from '../observability/observability.ts';
import { createFairServer, listen, watchConnections } from '../process/fair-server.ts';
import { READY, readinessAnswer, type State } from '../process/readiness.ts';
import type { StoreAdapter } from '../store/ports/estate-store.ts';
import type { Endpoint } from '../transport/endpoint.ts';
import type { PipelineOptions } from '../work/application-parts.ts';
import type { PlugElsewhere } from '../work/elsewhere.ts';
import { createPipeline } from '../work/pipeline.ts';
import { startConsumer } from './consumer.ts';
import { createDispatch, createEndpoint, createHttpFace } from './dispatch.ts';

interface ApplicationOptions
  extends Pick<PipelineOptions, 'service' | 'transport' | 'agent' | 'log' | 'strictResponses'>,
    Partial<Pick<PipelineOptions, 'gatewayUrl' | 'stopping'>> {
  readonly adapter: StoreAdapter;
  readonly bus: Bus;
  /** Authenticates calls within the estate. */
  readonly token: string;
  /** Without it, the application refuses every request in a world with a real system for it. */
  readonly elsewhere?: PlugElsewhere;
  /** Metrics and traces of the process; without it the application is not observed. */
  readonly observability?: Observability | undefined;
  readonly host: string;
  readonly port: number;
  /** Limits of due work and leases in wall time; the pipeline has the defaults. */
  readonly timing?: { readonly leaseMarginMs: number; readonly workDeadlineMs: number };
}

export interface RunningApplication {
  readonly application: Application;
  readonly url: string;
  /** Answers other applications of the process. */
  readonly endpoint: Endpoint;
  /** Ends readiness. From then on every answer closes its connection. */
  drain(): void;
  /** Stops accepting requests, finishes those that run, then ends consumer and relay. */
  close(): Promise<void>;
  /** Breaks every connection immediately, like a killed process. */
  kill(): void;
}

/** Limit of the headers. It is twice the gateway's limit, which leaves room for the headers that the gateway adds. */
const HEADER_BYTES = 32_768;

/** An address where nothing listens. */
const NO_GATEWAY = 'http://127.0.0.1:1';

/** Starts one application: its HTTP interface, its outbox relay, its subscriptions. */
export async function startApplication(options: ApplicationOptions): Promise<RunningApplication> {
  const { service, adapter, bus, stopping = new AbortController().signal } = options;
  const log = options.log.child({ application: service.application });
  const store = adapter.store(service.application);
  const divert = createEventFaults({ store, control: adapter.control, directory: adapter.worlds });
  const observer = options.observability?.observer(service.application, log);
  options.observability?.watchOutbox(service.application, () => store.outbox());
  const relay = createRelay({ store, bus, log, divert, observer, settling: adapter.worlds, turns: adapter.turns });
  const pipelineOptions = {
    service,
    store,
    control: adapter.control,
    directory: adapter.worlds,
    transport: options.transport,
    gatewayUrl: options.gatewayUrl ?? (() => NO_GATEWAY),
    agent: options.agent,
    log,
    observer,
    strictResponses: options.strictResponses,
    ...options.timing,
    relay,
    stopping,
  };
  const pipeline = createPipeline(pipelineOptions, options.elsewhere);
  let consuming: State = { ready: false, waitingFor: 'the start of its subscriptions' };
  const dispatch = createDispatch({ service, pipeline, token: options.token, log });
  const endpoint = createEndpoint(service.application, dispatch);
  const face = createHttpFace({
    dispatch,
    metrics: options.observability?.answerMetrics,
    readiness: () => readinessAnswer([adapter.state(), bus.state(), consuming], connections.draining()),
  });
  const server = createFairServer({ maxHeaderSize: HEADER_BYTES, keepAliveTimeout: 65_000 }, face);
  const connections = watchConnections(server);
  const parts = { service, store, bus, directory: adapter.worlds, pipeline, log, observer };
  const { url, consumer } = await started(async () => ({
    url: await listen(server, options.port, options.host),
    consumer: await startConsumer(parts),
  }));
  consuming = READY;
  endpoint.listen();

  /** When a part fails to start, the parts that have started are stopped. */
  async function started<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await connections.close();
      await relay.stop();
      throw error;
    }
  }

  return {
    application: service.application,
    url,
    endpoint: endpoint.take,
    drain: connections.drain,
    close: async () => {
      await Promise.all([connections.close(), endpoint.close()]);
      await consumer?.stop();
      await relay.stop();
    },
    kill: () => {
      endpoint.kill();
      server.close();
      server.closeAllConnections();
    },
  };
}
