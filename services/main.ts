import closeWithGrace from 'close-with-grace';
import { createLogger, type Logger } from '../shared/runtime/logger.ts';
import { banner } from './banner.ts';
import { type Configuration, readConfiguration, StartError } from './configuration.ts';

/** Wall time after which a stop no longer waits for what still runs. */
const HARD_LIMIT_MS = 15_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A terminal's Ctrl-C reaches this process and npm alike, and npm passes it on: within this time both are one. */
const ECHO_MS = 500;

async function main(): Promise<void> {
  const started = performance.now();
  const configuration = readConfiguration(process.env);
  const log = createLogger(configuration.LOG_LEVEL);
  const running =
    configuration.SERVICE === 'touchpoint-mock'
      ? await touchpointAlone(configuration, log)
      : await wholeEstate(configuration, log, started);
  const { close } = closeWithGrace({ delay: HARD_LIMIT_MS, logger: false, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an error that nobody caught');
    running.drain();
    if (configuration.DRAIN_DELAY_MS > 0) await new Promise((resolve) => setTimeout(resolve, configuration.DRAIN_DELAY_MS));
    await running.close();
    log.flush();
  });
  stopOnSignal(close);
  // Only now: whoever reads it may send a signal at once.
  running.announce();
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

/** Loaded only for a start that can go on: a bad variable is refused at once. */
const loadEstate = () => import('./estate.ts');

async function wholeEstate(configuration: Configuration, log: Logger, started: number) {
  const { startEstate } = await loadEstate();
  const estate = await startEstate(configuration, log);
  log.info({ adapters: estate.adapters, applications: estate.applications }, 'the estate is ready');
  const { gateway, touchpoint, portal, applications, drain, close } = estate;
  const readyInMs = performance.now() - started;
  return { drain, close, announce: () => announce({ gateway, touchpoint, portal, applications }, banner(estate, readyInMs)) };
}

async function touchpointAlone(configuration: Configuration, log: Logger) {
  const { startTouchpoint } = await loadEstate();
  const { mock, portal, drain, close } = await startTouchpoint(configuration, log);
  const text = `\n  Touchpoint mock: ${mock}\n  Portal: ${portal}\n  Stop with Ctrl-C.\n`;
  return { drain, close, announce: () => announce({ touchpoint: mock, portal }, text) };
}

/** A program that started this process is told where everything is, a person reads it. */
function announce(addresses: Readonly<Record<string, unknown>>, text: string): void {
  if (process.send) process.send({ ready: true, ...addresses });
  else process.stdout.write(text);
}

main().catch((error: unknown) => {
  const sentence =
    error instanceof StartError || (error as { name?: string }).name === 'FixtureError' || (error instanceof Error && 'sentence' in error);
  process.stderr.write(sentence ? `${(error as Error).message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(error instanceof StartError ? error.exitCode : sentence ? 78 : 1);
});
