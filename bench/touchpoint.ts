import { readFileSync } from 'node:fs';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, STORE_KEY, startChild, startEstate } from './child-process.ts';
import { type Load, type LoadedRound, loadOn } from './load.ts';
import { compare, inTurn } from './rounds.ts';

const CONNECTIONS = 20;
const CASE = '02';
const PATH = '/retail/touchpoint/basket/calculate';

const fixture = JSON.parse(readFileSync(new URL(`../fixtures/touchpoint/${CASE}.json`, import.meta.url), 'utf8'));

const request = {
  method: 'POST',
  headers: { authorization: `Bearer ${STORE_KEY}`, 'content-type': 'application/json', 'x-mock-case': CASE },
  body: JSON.stringify(fixture.request),
} as const;

const COLD_SECONDS = 1;

export const touchpoint: Benchmark = {
  name: 'touchpoint',
  title: 'Touchpoint mock, case 02, against a bare node:http server',
  run: async (settings) => {
    const bytes = await answerLength(settings);
    return [...(await warm(settings, bytes)), ...(await cold(settings, bytes))];
  },
};

async function startMock({ profiles }: Settings) {
  const child = await startEstate({ service: 'touchpoint-mock', profiles });
  return Object.assign(child, { url: child.address('touchpoint') });
}

async function startBare({ profiles }: Settings, bytes: number) {
  const child = await startChild('bench/servers/bare-http.ts', { args: [String(bytes)], profiles });
  return Object.assign(child, { url: child.address('url') });
}

async function answerLength(settings: Settings): Promise<number> {
  await using mock = await startMock({ ...settings, profiles: undefined });
  const answer = await fetch(`${mock.url}${PATH}`, request);
  if (!answer.ok) throw new Error(`The touchpoint mock answered ${answer.status}.`);
  return (await answer.arrayBuffer()).byteLength;
}

function round(server: Child & { readonly url: string }, seconds: number): Promise<LoadedRound> {
  const load: Load = { ...request, url: `${server.url}${PATH}`, connections: CONNECTIONS, seconds };
  return loadOn(server, load);
}

async function warm(settings: Settings, bytes: number): Promise<readonly Figure[]> {
  const { seconds } = settings;
  await using mock = await startMock(settings);
  await using bare = await startBare(settings, bytes);
  for (const server of [mock, bare]) await round(server, Math.min(seconds, 2));
  const taken = await inTurn(settings, 'touchpoint', { ours: () => round(mock, seconds), reference: () => round(bare, seconds) });
  return [
    { what: 'requests, warm', unit: '/s', ...compare(taken, ({ perSecond }) => perSecond), aim: { of: 'ratio', atLeast: 0.9 } },
    { what: 'CPU per request, warm', unit: 'µs', ...compare(taken, ({ cpuMicros }) => cpuMicros) },
  ];
}

/** Starts a new process for every round and loads it as soon as it is ready. */
async function cold(settings: Settings, bytes: number): Promise<readonly Figure[]> {
  const seconds = Math.min(COLD_SECONDS, settings.seconds);
  const unprofiled = { ...settings, profiles: undefined };
  const taken = await inTurn(settings, 'touchpoint from the first second', {
    ours: async () => {
      await using mock = await startMock(unprofiled);
      return await round(mock, seconds);
    },
    reference: async () => {
      await using bare = await startBare(unprofiled, bytes);
      return await round(bare, seconds);
    },
  });
  const aim = { of: 'ratio', atLeast: 0.9 } as const;
  return [{ what: 'requests in the first second', unit: '/s', ...compare(taken, ({ perSecond }) => perSecond), aim }];
}
