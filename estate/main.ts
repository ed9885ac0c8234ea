import { enableCompileCache } from 'node:module';
import closeWithGrace from 'close-with-grace';
import type { Application } from '../shared/catalog/applications.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import { createLogger, type Logger } from '../shared/process/logger.ts';
import type { RunningService } from './application-alone.ts';
import { banner } from './banner.ts';
import { adaptersOf, type Configuration, readConfiguration, StartError } from './configuration.ts';

/** Wall time after which a stop no longer waits for what still runs. */
const HARD_LIMIT_MS = 15_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A terminal's Ctrl-C reaches this process and npm alike, and npm passes it on: within this time both are one. */
const ECHO_MS = 500;

/** What was started, and how a person is told of it. */
interface Started {
  /** Where it is, for a program that started this process: known before it is ready. */
  readonly addresses: Readonly<Record<string, unknown>>;
  readonly ready: Promise<void>;
  drain(): void;
  close(): Promise<void>;
  text(): string;
}

async function main(): Promise<void> {
  const started = performance.now();
  // What an earlier start compiled; where nothing can be kept, this does nothing.
  enableCompileCache();
  const configuration = readConfiguration(process.env);
  const { ESTATE_TOKEN, CREDENTIAL_PEPPER, MOCK_STORE_KEY } = configuration;
  keepSecret([ESTATE_TOKEN, CREDENTIAL_PEPPER, MOCK_STORE_KEY]);
  const log = createLogger(configuration.LOG_LEVEL);
  const starting = start(configuration, log);
  let stopping = false;
  const { close } = closeWithGrace({ delay: HARD_LIMIT_MS, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an error that nobody caught');
    stopping = true;
    const running = await starting;
    running.drain();
    if (configuration.DRAIN_DELAY_MS > 0) await new Promise((resolve) => setTimeout(resolve, configuration.DRAIN_DELAY_MS));
    await running.close();
    log.flush();
  });
  stopOnSignal(close);
  const running = await starting;
  if (configuration.SERVICE !== undefined) process.send?.({ listening: true, ...running.addresses });
  await running.ready;
  if (stopping) return;
  const readyInMs = Math.round(performance.now() - started);
  log.info({ service: configuration.SERVICE ?? 'estate', adapters: adaptersOf(configuration), readyInMs, ...running.addresses }, 'ready');
  // A program that started this process is told where everything is, a person reads it.
  if (process.send) process.send({ ready: true, ...running.addresses });
  else if (configuration.SERVICE === undefined || !log.isLevelEnabled('info')) process.stdout.write(running.text());
}

/** Loaded only for a start that can go on: a bad variable is refused at once. */
async function start(configuration: Configuration, log: Logger): Promise<Started> {
  const { SERVICE } = configuration;
  if (SERVICE === undefined) return wholeEstate(configuration, log);
  if (SERVICE === 'touchpoint-mock') return touchpointAlone(configuration, log);
  const { url, ready, drain, close } = await oneService(SERVICE, configuration, log);
  return { addresses: { url }, ready, drain, close, text: () => `\n  ${SERVICE}: ${url}\n  Stop with Ctrl-C.\n` };
}

async function oneService(service: 'gateway' | Application, configuration: Configuration, log: Logger): Promise<RunningService> {
  if (service === 'gateway') return (await import('./gateway-alone.ts')).startGatewayAlone(configuration, log);
  return (await import('./application-alone.ts')).startApplicationAlone(service, configuration, log);
}

async function wholeEstate(configuration: Configuration, log: Logger): Promise<Started> {
  const began = performance.now();
  const { startEstate } = await import('./estate.ts');
  const estate = await startEstate(configuration, log);
  const { gateway, touchpoint, portal, applications, ready, drain, close } = estate;
  const addresses = { gateway, touchpoint, portal, applications };
  return { addresses, ready, drain, close, text: () => banner(estate, performance.now() - began) };
}

async function touchpointAlone(configuration: Configuration, log: Logger): Promise<Started> {
  const { startTouchpoint } = await import('./touchpoint.ts');
  const { mock, portal, drain, close } = await startTouchpoint(configuration, log);
  const text = (): string => `\n  Touchpoint mock: ${mock}\n  Portal: ${portal}\n  Stop with Ctrl-C.\n`;
  return { addresses: { touchpoint: mock, portal }, ready: Promise.resolve(), drain, close, text };
}

/** A second signal exits at once; one that is only the echo of the first does not. */
function stopOnSignal(stop: () => void): void {
  let stoppingSince: number | undefined;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince === undefined) {
        stoppingSince = performance.now();
        stop();
      } else if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
    });
  }
}

main().catch((error: unknown) => {
  const sentence =
    error instanceof StartError || (error as { name?: string }).name === 'FixtureError' || (error instanceof Error && 'sentence' in error);
  process.stderr.write(sentence ? `${(error as Error).message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(error instanceof StartError ? error.exitCode : sentence ? 78 : 1);
});
