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

/** @throws Error when an answer was not a success, because a rate of failures is meaningless */
export async function loadOn(child: Child, { seconds, ...load }: Load): Promise<LoadedRound> {
  const before = await child.usage();
  const { requests, duration } = await cannon({ ...load, duration: seconds });
  const after = await child.usage();
  return { perSecond: requests.total / duration, cpuMicros: (after.cpuMicros - before.cpuMicros) / requests.total };
}

export async function cannon(options: autocannon.Options): Promise<autocannon.Result> {
  const result = await autocannon({ sampleInt: COUNT_MS, ...options });
  if (result.errors > 0 || result.non2xx > 0) {
    const statuses = Object.entries(result.statusCodeStats ?? {}).map(([status, { count }]) => `${count} × ${status}`);
    throw new Error(`${options.url}: ${result.errors} connections failed; the answers were ${statuses.join(', ')}.`);
  }
  return result;
}
