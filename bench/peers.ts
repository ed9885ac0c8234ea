import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { type Child, startChild, startEstate } from './child-process.ts';
import { rateOf } from './load.ts';
import {
  type Contestant,
  caseTwo,
  checkAnswers,
  type Exchange,
  type Peer,
  type Server,
  STATIC_PATH,
  staticGet,
} from './peers/exchanges.ts';
import { mockoon } from './peers/mockoon.ts';
import { prism } from './peers/prism.ts';
import { wiremock } from './peers/wiremock.ts';
import { allInTurn, compare } from './rounds.ts';

const PEERS: readonly Peer[] = [wiremock, prism, mockoon];
const MEBIBYTE = 1_048_576;
const COLD_SECONDS = 1;
/** Rounds of load before the first measured round, so that the peers have compiled their code. */
const WARM_UP_ROUNDS = 4;

export const peers: Benchmark = {
  name: 'peers',
  title: `Touchpoint mock, compared with ${PEERS.map(({ name, version }) => `${name} ${version}`).join(', ')}; the reference is a bare node:http server`,
  // It downloads programs.
  onlyByName: true,
  run: async (settings) => {
    const bytes = await answerLength(touchpointMock);
    const contestants = [touchpointMock, ...(await installed(settings))];
    const { rates, memory } = await warm(settings, contestants, caseTwo(bytes));
    const { rates: staticRates } = await warm(settings, contestants, staticGet);
    return [...rates, ...staticRates, ...(await cold(settings, contestants, caseTwo(bytes))), ...memory];
  },
};

/** Starts each peer once, to check that it runs here and answers correctly. */
async function installed({ progress }: Settings): Promise<readonly Contestant[]> {
  const contestants: Contestant[] = [];
  for (const peer of PEERS) {
    progress(`peers: ${peer.name} ${peer.version} is installed if it is missing, and tried`);
    try {
      const contestant = await peer.install();
      await answerLength(contestant);
      contestants.push(contestant);
    } catch (error) {
      progress(`peers: ${peer.name} is left out: ${error instanceof Error ? error.message : error}`);
    }
  }
  return contestants;
}

async function answerLength(contestant: Contestant): Promise<number> {
  await using server = await contestant.start();
  return await checkAnswers(contestant.name, server);
}

/** Loads servers that are warm. */
async function warm({ seconds, rounds, progress }: Settings, contestants: readonly Contestant[], exchange: Exchange) {
  await using running = new AsyncDisposableStack();
  const servers: Server[] = [];
  for (const contestant of [...contestants, bareServer(exchange.bytes)]) servers.push(running.use(await contestant.start()));
  const load = (server: Server, duration: number): Promise<number> => rateOf(exchange.loadOf(server, duration));

  progress(`peers, ${exchange.what}: ${servers.length} servers are warmed up for ${WARM_UP_ROUNDS * seconds} s each`);
  for (const server of servers) await load(server, WARM_UP_ROUNDS * seconds);
  const taken = await allInTurn(
    rounds,
    servers.map((server, index) => (number) => {
      if (index === 0) progress(`peers, ${exchange.what}, round ${number} of ${rounds}`);
      return load(server, seconds);
    }),
  );
  const rss = await Promise.all(servers.map(async (server) => [(await server.rssBytes()) / MEBIBYTE]));
  return {
    rates: figuresOf(contestants, `${exchange.what}, warm`, '/s', taken),
    memory: figuresOf(contestants, 'memory (RSS) after case 02', 'MiB', rss),
  };
}

interface ColdRound {
  readonly startMs: number;
  readonly perSecond: number;
}

/** Starts a new process for every round and loads it as soon as it has answered. */
async function cold({ seconds, rounds, progress }: Settings, contestants: readonly Contestant[], exchange: Exchange) {
  const all = [...contestants, bareServer(exchange.bytes)];
  const taken = await allInTurn(
    rounds,
    all.map((contestant, index) => async (number): Promise<ColdRound> => {
      if (index === 0) progress(`peers from the first second, round ${number} of ${rounds}`);
      const started = performance.now();
      await using server = await contestant.start();
      const startMs = performance.now() - started;
      return { startMs, perSecond: await rateOf(exchange.loadOf(server, Math.min(COLD_SECONDS, seconds))) };
    }),
  );
  const each = (member: keyof ColdRound) => taken.map((own) => own.map((round) => round[member]));
  return [
    ...figuresOf(contestants, `${exchange.what} in the first second`, '/s', each('perSecond')),
    ...figuresOf(contestants, 'start to the first answer', 'ms', each('startMs')),
  ];
}

/** @param taken the rounds of each contestant, the bare server last */
function figuresOf(
  contestants: readonly Contestant[],
  what: string,
  unit: string,
  taken: readonly (readonly number[])[],
): readonly Figure[] {
  const reference = taken.at(-1) ?? [];
  return contestants.map(({ name }, index) => ({
    what: `${what}: ${name}`,
    unit,
    ...compare({ ours: taken[index] ?? [], reference }, (value) => value),
  }));
}

const touchpointMock: Contestant = {
  name: 'touchpoint mock',
  start: async () => answering(await startEstate({ service: 'touchpoint-mock' }), 'touchpoint'),
};

/** @param bytes length of its answer */
const bareServer = (bytes: number): Contestant => ({
  name: 'bare node:http',
  start: async () => answering(await startChild('bench/servers/bare-http.ts', { args: [String(bytes)] }), 'url'),
});

async function answering(child: Child, address: string): Promise<Server> {
  const url = child.address(address);
  await fetch(`${url}${STATIC_PATH}`);
  return { url, rssBytes: async () => (await child.usage()).rssBytes, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
