import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Aim, type Benchmark, type Figure, isMet, type Ratio, type Settings } from './benchmark.ts';
import { buildEdition, type ComposeEstate, currentEdition, startCompose, whyNoCompose } from './compose-estate.ts';
import { inNewRehearsal, placeOrders } from './order-journey.ts';
import { compare, inTurn } from './rounds.ts';

const COLUMNS = ['what', 'figure', 'reference', 'ratio (lowest–highest)', 'aim', ''] as const;

/** The figures of one benchmark as a table for a terminal. */
export function tableOf(title: string, figures: readonly Figure[]): string {
  const rows = [COLUMNS, ...figures.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function rowOf(figure: Figure): readonly string[] {
  const { what, unit, reference, ratio, aim } = figure;
  const met = isMet(figure);
  return [
    what,
    `${shown(figure.figure)} ${unit}`,
    reference === undefined ? '' : `${shown(reference)} ${unit}`,
    ratio ? ratioText(ratio) : '',
    aim ? aimText(aim, unit) : '',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

function ratioText({ median, lowest, highest }: Ratio): string {
  const digits = median >= 10 ? 0 : median >= 0.1 ? 2 : 3;
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}

function aimText(aim: Aim, unit: string): string {
  const of = aim.of === 'ratio' ? '' : ` ${unit}`;
  return 'atLeast' in aim ? `≥ ${aim.atLeast}${of}` : `≤ ${aim.atMost}${of}`;
}

const shown = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));

/** A commit with an improvement, and the counts after it, which do not depend on the machine. */
const Line = z.strictObject({ on: z.iso.date(), change: z.string().min(1), counts: z.record(z.string(), z.number().nonnegative()) });

type HistoryLine = z.output<typeof Line>;

/** The history of counts, oldest first. @throws Error when a line does not fit */
export const readHistory = (): readonly HistoryLine[] =>
  z.array(Line).parse(JSON.parse(readFileSync(new URL('./history.json', import.meta.url), 'utf8')));

export const newestCounts = (history: readonly HistoryLine[]): Readonly<Record<string, number>> =>
  Object.assign({}, ...history.map(({ counts }) => counts));

const CLIENTS = 4;
/** Orders after which V8 has compiled the code of an order. */
const WARM_UP_ORDERS = 300;
const ORDERS = 60;
const INFRASTRUCTURE: ReadonlySet<string> = new Set(['kafka', 'redis']);

/** CPU time of an order in containers, against an earlier commit of the project. The two estates run side by side and take turns. */
export const earlier: Benchmark = {
  name: 'earlier',
  title: 'Orders in containers, against an earlier commit',
  onlyByName: true,
  run: async (settings) => {
    const folder = process.env['EARLIER'];
    const why = await whyNoCompose();
    if (why !== undefined || !folder) {
      settings.progress(`earlier is left out: ${why ?? 'EARLIER must name a folder with a checkout of an earlier commit'}`);
      return [];
    }
    settings.progress('earlier: docker compose up --wait, for both commits');
    await using current = await startCompose(await currentEdition());
    await using before = await startCompose(await buildEdition(folder, 'unified-commerce-estate:earlier'));
    return await contest(settings, current, before);
  },
};

async function contest(settings: Settings, current: ComposeEstate, before: ComposeEstate): Promise<readonly Figure[]> {
  for (const estate of [current, before]) {
    settings.progress(`earlier, ${WARM_UP_ORDERS} orders warm up ${estate.image}`);
    await ordersAt(estate, WARM_UP_ORDERS);
  }
  const taken = await inTurn(settings, 'earlier', { ours: () => ordersAt(current, ORDERS), reference: () => ordersAt(before, ORDERS) });
  return [
    {
      what: 'CPU per order, without Redis and Kafka',
      unit: 'ms',
      ...compare(taken, (used) => used.estate),
      aim: { of: 'ratio', atMost: 0.75 },
    },
    { what: 'CPU per order, all containers', unit: 'ms', ...compare(taken, (used) => used.estate + used.infrastructure) },
    { what: 'CPU per order, Redis and Kafka', unit: 'ms', ...compare(taken, (used) => used.infrastructure) },
  ];
}

/** @returns milliseconds of CPU time per order. They include the background work of the containers. */
async function ordersAt(estate: ComposeEstate, orders: number): Promise<Used> {
  return await inNewRehearsal(estate.gateway, async ({ bearer }) => {
    const before = await cpuMs(estate);
    await placeOrders({ url: estate.gateway, bearer, clients: CLIENTS, for: { orders } });
    const after = await cpuMs(estate);
    return { estate: (after.estate - before.estate) / orders, infrastructure: (after.infrastructure - before.infrastructure) / orders };
  });
}

interface Used {
  readonly estate: number;
  readonly infrastructure: number;
}

/** CPU time of the containers with the image of the estate, and of Redis and Kafka. */
async function cpuMs(estate: ComposeEstate): Promise<Used> {
  const used = { estate: 0, infrastructure: 0 };
  for (const [service, { cpuMs: ms }] of await estate.usage()) used[INFRASTRUCTURE.has(service) ? 'infrastructure' : 'estate'] += ms;
  return used;
}
