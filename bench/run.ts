import { availableParallelism, cpus } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { type Benchmark, type Figure, isMet, type Settings } from './benchmark.ts';
import { containers } from './containers.ts';
import { controlPlane } from './control-operations.ts';
import { events } from './event-lag.ts';
import { forking } from './forking.ts';
import { gateway } from './gateway.ts';
import { growth } from './growth.ts';
import { hardening } from './harden.ts';
import { hostile } from './hostile.ts';
import { journeys } from './journeys.ts';
import { json } from './json-calls.ts';
import { longLists } from './long-lists.ts';
import { orders, transport } from './orders.ts';
import { parcels } from './parcels.ts';
import { QUIET_LOAD, type Quiet, quietText, waitUntilQuiet } from './quiet.ts';
import { redis } from './redis.ts';
import { earlier, tableOf } from './report.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { touchpoint } from './touchpoint.ts';
import { verifying } from './verifying.ts';

const benchmarks: readonly Benchmark[] = [
  touchpoint,
  gateway,
  orders,
  transport,
  json,
  journeys,
  parcels,
  events,
  growth,
  longLists,
  verifying,
  controlPlane,
  forking,
  redis,
  start,
  hostile,
  containers,
  earlier,
  soak,
  hardening,
];

const alone = benchmarks.filter(({ onlyByName }) => onlyByName).map(({ name }) => name);

interface Options {
  readonly seconds: number;
  readonly rounds: number;
  readonly wait: number;
  readonly profiles?: string;
  readonly json?: boolean;
}

const command = new Command()
  .name('bench')
  .description('Measures this project against something simpler in the same run: a ratio can be compared between machines, a rate cannot.')
  .argument('[name...]', `one or more of: ${benchmarks.map(({ name }) => name).join(', ')}; without a name all but ${alone.join(', ')}`)
  .option('--seconds <n>', 'longest duration of a round', positive, 3)
  .option('--rounds <n>', 'number of rounds of figure and reference', positive, 5)
  .option('--wait <seconds>', `longest wait in seconds for a load below ${QUIET_LOAD}; 0 for no wait`, notNegative, 300)
  .option('--profiles <folder>', 'write CPU profiles of the measured processes to this folder (slows them down)')
  .option('--json', 'print the figures as JSON')
  .action(run);

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It takes a number above 0.');
  return value;
}

function notNegative(text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError('It takes a number, 0 or above.');
  return value;
}

async function run(names: readonly string[], { json: asJson = false, wait, ...options }: Options): Promise<void> {
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    command.error(`There is no benchmark ${unknown.join(', ')}; choose one of ${benchmarks.map(({ name }) => name).join(', ')}.`, {
      exitCode: 64,
    });
  }
  const progress = (text: string): void => void process.stderr.write(`  … ${text}\n`);
  const settings: Settings = { ...options, progress };
  const quiet: Quiet = await waitUntilQuiet({ atMost: wait, progress });
  const results: { readonly name: string; readonly title: string; readonly figures: readonly Figure[] }[] = [];
  if (!asJson) process.stdout.write(`${machine()}\n${quietText(quiet)}\n`);
  for (const { name, title, onlyByName = false, run: measure } of benchmarks) {
    if (names.length > 0 ? !names.includes(name) : onlyByName) continue;
    const figures = await measure(settings);
    results.push({ name, title, figures });
    if (!asJson) process.stdout.write(`\n${tableOf(title, figures)}`);
  }
  if (asJson)
    process.stdout.write(
      `${JSON.stringify({ machine: machine(), quiet, at: new Date().toISOString(), ...options, results: results.map(withVerdicts) }, null, 2)}\n`,
    );
}

const withVerdicts = ({ figures, ...result }: { readonly name: string; readonly title: string; readonly figures: readonly Figure[] }) => ({
  ...result,
  figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })),
});

/** Describes the machine, because figures are only comparable on the same one. */
const machine = (): string => `Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;

// `process.exit` also ends the measured processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

await command.parseAsync();
