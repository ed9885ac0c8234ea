import type { Dispatcher } from 'undici';
import type { Benchmark, Figure } from './benchmark.ts';
import { type Child, startChild, startEstate } from './child-process.ts';
import { timesOf } from './control-operations.ts';
import { ADMIN, type OwnRehearsal, openRehearsal } from './order-journey.ts';
import { median, quantile } from './rounds.ts';
import type { Attack as HostileRequest } from './servers/attacker.ts';

/** Characters of the hostile text. A body may have a mebibyte where its schema permits it. */
const LENGTH = 1_000_000;
/** Characters of a hostile text in a path or a query: the headers of a request have at most 16 KiB. */
const LENGTH_IN_URL = 8_000;
/** Requests of the other client while one operation gets the text of one kind. */
const REQUESTS = 8;
const WARM_UP = 300;
/** The heap of a container, in MiB: half of its memory. */
const HEAP = 192;
const WORST_SHOWN = 5;
const AIM = { of: 'ratio', atMost: 3 } as const;
const TURN_AIM = { of: 'figure', atMost: 50 } as const;
const REPORT_TURNS = new URL('./servers/report-turns.ts', import.meta.url).href;

const repeated = (piece: string, length = LENGTH): string => piece.repeat(Math.floor(length / piece.length));
const text = (piece: string): string => `"${repeated(piece)}"`;

/** JSON in place of the first text of a body. */
const VALUES: Readonly<Record<string, string>> = {
  harmless: '"a"',
  digits: text('1 '),
  cards: text('4111 1111 1111 1112 '),
  dots: text('a.'),
  escapes: text('\\u0031\\u0020'),
  percents: text('/%34%31'),
  quotes: text('\\"authorization\\":'),
  brackets: `[${repeated(`[${repeated('[],', 2_900)}[]],`)}[]]`,
  'words near ours': `{${Array.from({ length: 900 }, (_, n) => `"firstNam${n}${'e'.repeat(1_000)}":1`).join()}}`,
};

interface Operation {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly isControl: boolean;
  readonly hasBody: boolean;
  readonly example: unknown;
}

export const hostile: Benchmark = {
  name: 'hostile',
  title: 'Another client while each operation gets a megabyte of the worst text of a kind, against an idle estate',
  onlyByName: true,
  run: async ({ profiles, progress }) => {
    const figures: Figure[] = [];
    for (const where of ['embedded', 'heap of a container']) {
      const env = where === 'embedded' ? undefined : { NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
      await using estate = await startEstate({ profiles, env, preloads: [REPORT_TURNS] });
      figures.push(...(await measure(estate, (kind) => progress(`hostile, ${where}: ${kind}`), where)));
    }
    return figures;
  },
};

async function measure(estate: Child, progress: (kind: string) => void, where: string): Promise<readonly Figure[]> {
  const url = estate.address('gateway');
  await using other = await openRehearsal(url);
  await using rehearsal = await openRehearsal(url);
  await using attacker = await startChild('bench/servers/attacker.ts', { reportsUsage: false });
  const attacked = { attacker, url, rehearsal };
  const operations = await operationsOf(url);
  await timesOf(other, WARM_UP);
  const turns: { readonly what: string; readonly ms: number }[] = [];
  const figures: Figure[] = [];
  for (const [kind, value] of Object.entries(VALUES)) {
    progress(kind);
    const [ours, reference]: [number[], number[]] = [[], []];
    for (const operation of operations) {
      reference.push(...(await timesOf(other, REQUESTS)));
      await estate.ask('turns', 'longestTurnMs');
      ours.push(...(await during(attacked, { operation, value }, () => timesOf(other, REQUESTS))));
      const ms = Number(await estate.ask('turns', 'longestTurnMs'));
      turns.push({ what: `${operation.method} ${operation.path}, ${kind}`, ms });
    }
    const p95 = { figure: quantile(ours, 0.95), reference: quantile(reference, 0.95) };
    const ratio = p95.figure / p95.reference;
    figures.push({
      what: `another client, p95, ${kind}, ${where}`,
      unit: 'ms',
      ...p95,
      ratio: { median: ratio, lowest: ratio, highest: ratio },
      aim: AIM,
    });
  }
  const worst = turns.toSorted((a, b) => b.ms - a.ms).slice(0, WORST_SHOWN);
  return [
    ...figures,
    { what: `longest turn, median of all cases, ${where}`, unit: 'ms', figure: median(turns.map(({ ms }) => ms)), aim: TURN_AIM },
    ...worst.map(({ what, ms }) => ({ what: `longest turn, ${what}, ${where}`, unit: 'ms', figure: ms, aim: TURN_AIM })),
  ];
}

interface Attacked {
  readonly attacker: Child;
  readonly url: string;
  readonly rehearsal: OwnRehearsal;
}

/** Works while the attacker sends the operation with a hostile text. */
async function during<T>({ attacker, url, rehearsal }: Attacked, attack: Attack, work: () => Promise<T>): Promise<T> {
  await attacker.ask({ attack: requestOf(attack, url, rehearsal) }, 'firstStatus');
  try {
    return await work();
  } finally {
    await attacker.ask('stop', 'requests');
  }
}

interface Attack {
  readonly operation: Operation;
  /** JSON. */
  readonly value: string;
}

function requestOf({ operation, value }: Attack, url: string, { bearer, name }: OwnRehearsal): HostileRequest {
  const { method, isControl, hasBody, example } = operation;
  const inUrl = encodeURIComponent(value.slice(1, LENGTH_IN_URL)).slice(0, LENGTH_IN_URL).replace(/%.?$/, '');
  const path = operation.path.replaceAll(/\{\w+\}/g, inUrl.slice(0, 4_000));
  return {
    url,
    method,
    path: hasBody ? path : `${path}?q=${inUrl}`,
    headers: {
      authorization: `Bearer ${isControl ? ADMIN : bearer}`,
      ...(isControl && { 'x-rehearsal': name }),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    body: hasBody ? bodyOf(example, value) : null,
  };
}

/** The example of a body with the text in its first text member, at any depth. */
function bodyOf(example: unknown, hostileValue: string): string {
  const PLACE = 'hostile-text';
  let isPlaced = false;
  const placed = JSON.stringify(example ?? {}, (name, value: unknown) => {
    if (isPlaced || name === '' || typeof value !== 'string') return value;
    isPlaced = true;
    return PLACE;
  });
  const body = isPlaced ? placed : `{"name":"${PLACE}"}`;
  return body.replace(`"${PLACE}"`, () => hostileValue);
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

/** Operations that hold their answer open, or end the rehearsals of this run. */
const LEFT_OUT: ReadonlySet<string> = new Set(['read-stream', 'reset-rehearsal', 'delete-rehearsal']);

async function operationsOf(url: string): Promise<readonly Operation[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId = '', requestBody }]) => {
      if (!['get', 'post', 'put', 'patch', 'delete'].includes(method) || LEFT_OUT.has(operationId)) return [];
      const example = Object.values(requestBody?.content ?? {})[0]?.example;
      const isControl = path.startsWith('/_control');
      return [{ method: method.toUpperCase() as Dispatcher.HttpMethod, path, isControl, hasBody: requestBody !== undefined, example }];
    }),
  );
}
