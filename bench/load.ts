import autocannon from 'autocannon';
import type { Child } from './child-process.ts';

/** Interval between counts of requests; a run ends with a count. */
const COUNT_MS = 50;

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadedRound {
  readonly perSecond: number;
  /** CPU time of the process per request. */
  readonly cpuMicros: number;
}

export async function loadOn(child: Child, load: Load): Promise<LoadedRound> {
  const before = await child.usage();
  const { requests, duration } = await put(load);
  const after = await child.usage();
  return { perSecond: requests / duration, cpuMicros: (after.cpuMicros - before.cpuMicros) / requests };
}

/** Loads a server of any program. @returns answers per second */
export async function rateOf(load: Load): Promise<number> {
  const { requests, duration } = await put(load);
  return requests / duration;
}

/** @throws Error when an answer was not a success, because a rate of failures is meaningless */
async function put({
  url,
  connections,
  seconds,
  method = 'GET',
  headers = {},
  body,
}: Load): Promise<{ requests: number; duration: number }> {
  const result = await cannon({ url, connections, duration: seconds, method, headers, ...(body !== undefined && { body }) });
  return { requests: result.requests.total, duration: result.duration };
}

export async function cannon(options: autocannon.Options): Promise<autocannon.Result> {
  const result = await autocannon({ sampleInt: COUNT_MS, ...options });
  if (result.errors > 0 || result.non2xx > 0) {
    const statuses = Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => `${count} × ${status}`);
    throw new Error(`${options.url}: ${result.errors} connections failed; the answers were ${statuses.join(', ')}.`);
  }
  return result;
}
