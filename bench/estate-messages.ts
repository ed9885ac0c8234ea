import { applicationNames, owners } from '../shared/catalog/applications.ts';
import type { Figure } from './benchmark.ts';
import { COUNTER_PORT, type ComposeEstate } from './compose-estate.ts';
import { countCommands, sum } from './redis.ts';

type Counts = ReadonlyMap<string, number>;

/** Requests of one process to Kafka since its start, as `servers/count-kafka-requests.mjs` reports them. */
interface KafkaRequests {
  /** Number of requests by name, such as `Produce`. */
  readonly requests: Readonly<Record<string, number>>;
  /** Fetches whose answer had records. */
  readonly filledFetches: number;
  readonly recordsRead: number;
}

/** Messages of each order of an action. The action must end after the last event is consumed. */
export async function messagesPerOrder(estate: ComposeEstate, orders: number, act: () => Promise<void>): Promise<readonly Figure[]> {
  const [callsBefore, kafkaBefore] = [await callsOf(estate), await kafkaRequestsOf(estate)];
  const redis = await countCommands(estate.redis, act);
  const calls = difference(callsBefore, await callsOf(estate));
  const kafka = difference(kafkaBefore, await kafkaRequestsOf(estate));
  const perOrder = (what: string, count: number): Figure => ({ what: `${what}, per order`, unit: '', figure: count / orders });
  const each = (kind: string, counts: Counts): readonly Figure[] =>
    [...counts].sort(([, one], [, other]) => other - one).map(([name, count]) => perOrder(`${kind} ${name}`, count));
  return [
    perOrder('Redis: scripts', sum(redis.scripts)),
    perOrder('Redis: plain commands', sum(redis.plain)),
    perOrder('Redis: commands within scripts', sum(redis.within)),
    perOrder('HTTP: exchanges between applications', sum(calls)),
    ...each('Redis: script', redis.scripts),
    ...each('Redis: plain command', redis.plain),
    ...each('Redis: commands within the script', redis.within),
    ...each('Kafka:', kafka),
    ...each('HTTP:', calls),
  ];
}

/** Requests to Kafka per second of an action without orders. */
export async function idleKafkaRequests(estate: ComposeEstate, seconds: number, act: () => Promise<void>): Promise<readonly Figure[]> {
  const before = await kafkaRequestsOf(estate);
  await act();
  const requests = difference(before, await kafkaRequestsOf(estate));
  return [...requests].map(([name, count]) => ({ what: `Kafka: ${name}, idle`, unit: '/s', figure: count / seconds }));
}

/** Calls that applications made to each other, by API. */
const callsOf = async (estate: ComposeEstate): Promise<Counts> =>
  together(await Promise.all(applicationNames.map(async (name) => callsIn(await (await asked(estate, name, '/metrics')).text()))));

const kafkaRequestsOf = async (estate: ComposeEstate): Promise<Counts> =>
  together(
    await Promise.all(owners.map(async (name) => countsOf((await (await asked(estate, name, '/', COUNTER_PORT)).json()) as KafkaRequests))),
  );

const ANSWER_MS = 10_000;

async function asked(estate: ComposeEstate, service: string, path: string, port?: number): Promise<Response> {
  const answer = await fetch(`${await estate.addressOf(service, port)}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok) throw new Error(`${service} answered ${answer.status} to GET ${path}.`);
  return answer;
}

/** `http_client_request_duration_seconds_count{application="oms",api="get-basket-api",http_response_status_code="200"} 12` */
const CALLS = /^http_client_request_duration_seconds_count\{(?:.*,)?api="([^"]*)".*\} (\d+)$/gm;

/** The calls in the metrics of an application, by API. */
export const callsIn = (metrics: string): Counts =>
  together([...metrics.matchAll(CALLS)].map(([, api = '', count]) => new Map([[api, Number(count)]])));

export const countsOf = ({ requests, filledFetches, recordsRead }: KafkaRequests): Counts =>
  new Map([...Object.entries(requests), ['fetches with records', filledFetches], ['records read', recordsRead]]);

/** Sums by name. */
export function together(all: readonly Counts[]): Counts {
  const sums = new Map<string, number>();
  for (const counts of all) for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/** Counts that grew. */
export const difference = (before: Counts, after: Counts): Counts =>
  new Map([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const).filter(([, grown]) => grown > 0));
