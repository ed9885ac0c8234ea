import { magicTokens } from '../fixtures/public-secrets.ts';
import type { Application } from '../shared/catalog/applications.ts';
import { showTokens } from '../shared/domain/redaction.ts';
import type { Logger } from '../shared/process/logger.ts';
import { allReady, type State } from '../shared/process/readiness.ts';
import { pause } from '../shared/process/waiting.ts';
import { startApplication } from '../shared/runtime/application.ts';
import type { ClockStore } from '../shared/store/ports/due-work.ts';
import { createHttpTransport } from '../shared/transport/http-transport.ts';
import type { Configuration } from './configuration.ts';
import { openElsewhere } from './elsewhere.ts';
import { agentForCalls, closeInfrastructure, openBus, openStore, startObservability } from './infrastructure.ts';
import { ownListeners } from './own-listeners.ts';
import type { RegisteredApplication } from './registry.ts';
import { explainListenError } from './start-error.ts';

/** A process with one service of the estate. It listens from the start, and is ready when its infrastructure is. */
export interface RunningService {
  readonly url: string;
  readonly ready: Promise<void>;
  /** Answers not ready from now on, so that load balancers stop sending requests. */
  drain(): void;
  /** Finishes what runs, then ends the infrastructure. */
  close(): Promise<void>;
}

/** The registry would load the code of all applications. */
const load = (application: Application): Promise<RegisteredApplication> => import(`../services/${application}/service.ts`);

interface Returned {
  readonly application: Application;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** An attempt that began before the return may fail for this wall time after it. */
const LATE_FAILURES_MS = 30_000;

/**
 * The due work of other applications that awaits this one runs now: it may have failed often, and its next attempt may be minutes away.
 * A failure is logged, because the work also has its own next attempt.
 */
async function noteReturn(worlds: Pick<ClockStore, 'noteReturn'>, { application, log, stopping }: Returned): Promise<void> {
  if (stopping.aborted) return;
  try {
    await worlds.noteReturn(application);
    await pause(LATE_FAILURES_MS, stopping);
    if (!stopping.aborted) await worlds.noteReturn(application);
  } catch (error) {
    if (!stopping.aborted) log.warn({ application, err: error }, 'work that awaits the application waits for its next attempt');
  }
}

/** Starts one application. It shares its state in Redis and its events on Kafka with the other processes. */
export async function startApplicationAlone(application: Application, configuration: Configuration, log: Logger): Promise<RunningService> {
  const { HOST, PORT, ESTATE_TOKEN: token = '', GATEWAY_URL, STRICT_RESPONSES, addressOf } = configuration;
  showTokens(magicTokens);
  const { service } = await load(application);
  const adapter = await openStore(configuration, log);
  const bus = await openBus(configuration, log);
  const observability = await startObservability(configuration);
  const agent = agentForCalls();
  let url = '';
  const elsewhere = openElsewhere(configuration, { token, own: () => ownListeners(configuration, [url]) });
  const stopping = new AbortController();
  const states = (): readonly State[] => [adapter.state(), bus.state()];
  const running = await startApplication({
    service,
    adapter,
    bus,
    transport: createHttpTransport({ addressOf, token, agent }),
    token,
    agent,
    elsewhere: elsewhere.plug,
    log,
    observability,
    gatewayUrl: () => GATEWAY_URL,
    host: HOST,
    port: PORT,
    strictResponses: STRICT_RESPONSES,
    stopping: stopping.signal,
  }).catch(explainListenError('PORT'));
  url = running.url;
  const ready = allReady(states, stopping.signal);
  void ready.then(() => noteReturn(adapter.worlds, { application, log, stopping: stopping.signal }));
  return {
    url,
    ready,
    drain: running.drain,
    close: async () => {
      stopping.abort();
      await running.close();
      await elsewhere.close();
      await closeInfrastructure({ agent, bus, observability, adapter });
    },
  };
}
