import { enableCompileCache } from 'node:module';
import closeWithGrace from 'close-with-grace';
import type { Application } from '../shared/catalog/applications.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import { createLogger, type Logger, terminalOutput } from '../shared/process/logger.ts';
import { print, printError, printJson } from '../shared/process/terminal.ts';
import { pause } from '../shared/process/waiting.ts';
import type { RunningService } from './application-alone.ts';
import { banner } from './banner.ts';
import { adaptersOf, type Configuration, foreignVariables, readConfiguration } from './configuration.ts';
import type { Report } from './seeding.ts';

/** Wall time after which a stop no longer waits for running work. */
const STOP_LIMIT_MS = 15_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A terminal sends Ctrl-C to this process and to npm, and npm forwards it. Two signals within this wall time count as one. */
const ECHO_MS = 500;

interface Started {
  /** The addresses, for the program that started this process. They are known before it is ready. */
  readonly addresses: Readonly<Record<string, unknown>>;
  readonly ready: Promise<void>;
  drain(): void;
  close(): Promise<void>;
  /** The text for a person. */
  text(): string;
}

/**
 * Starts what the environment configures, and stops it on a signal: it is no longer ready, serves for `DRAIN_DELAY_MS`, and then closes
 * within `STOP_LIMIT_MS`.
 * @throws StartError or FixtureError with sentences for a person
 */
export async function run(environment: Readonly<Record<string, string | undefined>>, { json = false } = {}): Promise<void> {
  const started = performance.now();
  enableCompileCache();
  const configuration = readConfiguration(environment);
  const { ESTATE_TOKEN, CREDENTIAL_PEPPER, MOCK_STORE_KEY, REDIS_PASSWORD } = configuration;
  keepSecret([ESTATE_TOKEN, CREDENTIAL_PEPPER, MOCK_STORE_KEY, REDIS_PASSWORD]);
  const isForPerson = process.stdout.isTTY === true && configuration.NODE_ENV !== 'production';
  const log = createLogger(configuration.LOG_LEVEL, isForPerson ? terminalOutput() : undefined);
  serveWithoutOutput();
  const isText = !process.send && !json && !log.isLevelEnabled('info');
  const report: Report = isText && !isForPerson ? (sentence) => print(`${sentence}\n`) : (sentence) => log.warn(sentence);
  const foreign = foreignVariables(environment);
  if (foreign.length > 0) report(`These variables have no effect, because the estate has none of these names: ${foreign.join(', ')}.`);
  const starting = start(configuration, log, report);
  let stopping = false;
  const { close } = closeWithGrace({ delay: STOP_LIMIT_MS, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an uncaught error');
    stopping = true;
    const running = await starting;
    running.drain();
    if (configuration.DRAIN_DELAY_MS > 0) await pause(configuration.DRAIN_DELAY_MS);
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
  // A parent process gets the addresses as a message; a person gets them as text.
  if (process.send) process.send({ ready: true, ...running.addresses });
  else if (json) printJson(running.addresses);
  else if (configuration.SERVICE === undefined || !log.isLevelEnabled('info')) print(running.text());
}

/** The estate serves without its standard output. It ignores a closed pipe, and reports any other error once. */
function serveWithoutOutput(): void {
  let reported = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || reported) return;
    reported = true;
    const cause = code === 'ENOSPC' ? 'its disk is full. Free space' : `${message}. Correct the redirection`;
    printError(`The standard output takes no text: ${cause}. The estate runs, and its addresses are not shown.\n`);
  });
}

/** Loads the code only after the configuration was accepted, so that a bad variable is refused early, and only the code of this process. */
async function start(configuration: Configuration, log: Logger, report?: Report): Promise<Started> {
  const { SERVICE } = configuration;
  if (SERVICE === undefined) return startWholeEstate(configuration, log, report);
  if (SERVICE === 'touchpoint-mock') return startTouchpointOnly(configuration, log);
  const { url, ready, drain, close } = await startOneService(SERVICE, configuration, log);
  return { addresses: { url }, ready, drain, close, text: () => `\n  ${SERVICE}: ${url}\n  Stop with Ctrl-C.\n` };
}

async function startOneService(service: 'gateway' | Application, configuration: Configuration, log: Logger): Promise<RunningService> {
  if (service === 'gateway') return (await import('./gateway-alone.ts')).startGatewayAlone(configuration, log);
  return (await import('./application-alone.ts')).startApplicationAlone(service, configuration, log);
}

async function startWholeEstate(configuration: Configuration, log: Logger, report: Report | undefined): Promise<Started> {
  const began = performance.now();
  const { startEstate } = await import('./estate.ts');
  const estate = await startEstate(configuration, log, undefined, report);
  const { gateway, touchpoint, portal, applications, ready, drain, close } = estate;
  const addresses = { gateway, touchpoint, portal, applications };
  return { addresses, ready, drain, close, text: () => banner(estate, performance.now() - began) };
}

async function startTouchpointOnly(configuration: Configuration, log: Logger): Promise<Started> {
  const { startTouchpoint } = await import('./touchpoint.ts');
  const { mock, portal, drain, close } = await startTouchpoint(configuration, log);
  const text = (): string => `\n  Touchpoint mock: ${mock}\n  Portal: ${portal}\n  Stop with Ctrl-C.\n`;
  return { addresses: { touchpoint: mock, portal }, ready: Promise.resolve(), drain, close, text };
}

/** A second signal exits immediately, unless it is the echo of the first. */
function stopOnSignal(stop: () => void): void {
  let stoppingSince: number | undefined;
  // The parent that uses the addresses was killed. Only this process would be left.
  process.on('disconnect', () => {
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    stop();
  });
  // Listening must not keep this process alive.
  process.channel?.unref();
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stoppingSince === undefined) {
        stoppingSince = performance.now();
        stop();
      } else if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
    });
  }
}
