import type { Figure } from './benchmark.ts';
import type { Child } from './child-process.ts';
import { type OrderLoad, type OrderRound, placeOrders } from './order-load.ts';
import { inNewRehearsal } from './rehearsals.ts';
import { compare, quantile, type Rounds } from './rounds.ts';

export type MeasuredRound = OrderRound & { readonly cpuMs: number };

export async function measureOrders(child: Child, load: OrderLoad): Promise<MeasuredRound> {
  const before = await child.usage();
  const round = await placeOrders(load);
  const after = await child.usage();
  return { ...round, cpuMs: (after.cpuMicros - before.cpuMicros) / 1_000 / round.latenciesMs.length };
}

export function ordersInNewRehearsal(
  estate: Child,
  { clients, seconds }: { readonly clients: number; readonly seconds: number },
): Promise<MeasuredRound> {
  const url = estate.address('gateway');
  return inNewRehearsal(url, ({ bearer }) => measureOrders(estate, { url, bearer, clients, for: { seconds } }));
}

export function orderFigures(taken: Rounds<MeasuredRound>, clients: number): readonly Figure[] {
  const of = clients === 1 ? '1 client' : `${clients} clients`;
  const latency = (at: number) => ({ figure: latencyOf(taken.ours, at), reference: latencyOf(taken.reference, at) });
  return [
    { what: `orders, ${of}`, unit: '/s', ...compare(taken, ({ perSecond }) => perSecond) },
    { what: `CPU per order, ${of}`, unit: 'ms', ...compare(taken, ({ cpuMs }) => cpuMs) },
    { what: `time of an order, ${of}, p50`, unit: 'ms', ...latency(0.5) },
    { what: `time of an order, ${of}, p99`, unit: 'ms', ...latency(0.99) },
  ];
}

/** @param at between 0 and 1. @returns milliseconds, over all rounds */
export const latencyOf = (rounds: readonly Pick<OrderRound, 'latenciesMs'>[], at: number): number =>
  quantile(
    rounds.flatMap(({ latenciesMs }) => latenciesMs),
    at,
  );
