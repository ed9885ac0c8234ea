import { control, type Output, type Resource, useResource } from '../data/data.ts';
import { type GrowingList, useGrowingList } from '../data/growing-list.ts';

export type Webhook = Output<'list-webhooks'>['items'][number];
export type Delivery = Output<'list-webhook-deliveries'>['items'][number];

const PAGE = 50;

export const readWebhooks = async (signal: AbortSignal): Promise<readonly Webhook[]> =>
  (await control('list-webhooks', undefined, { signal })).items;

/** The registered webhooks of a rehearsal, read again when something happened in it. */
export const useWebhooks = (): Resource<readonly Webhook[]> =>
  useResource('webhooks', readWebhooks, { follows: ['hops', 'events', 'clock', 'gap'] });

/** The most deliveries that one read answers. */
const MOST = 200;

export interface Sent {
  /** The name of the webhook. */
  readonly webhook: string;
  readonly delivery: Delivery;
}

/** The newest deliveries of each webhook. */
export async function readSent(signal: AbortSignal): Promise<readonly Sent[]> {
  const webhooks = await readWebhooks(signal);
  const read = await Promise.all(
    webhooks.map(async ({ name }) => {
      const { items } = await control('list-webhook-deliveries', { params: { name }, query: { limit: MOST } }, { signal });
      return items.map((delivery) => ({ webhook: name, delivery }));
    }),
  );
  return read.flat();
}

/** Newest deliveries that are read to see whether a receiver fails. */
const FEW = 5;

/** Whether a receiver has accepted none of the newest deliveries that were tried. */
export function useFailing(name: string): boolean {
  const read = async (signal: AbortSignal): Promise<boolean> => {
    const { items } = await control('list-webhook-deliveries', { params: { name }, query: { limit: FEW } }, { signal });
    const tried = items.filter(({ attempts }) => attempts.length > 0);
    return tried.length > 0 && tried.every(({ state }) => state === 'waiting' || state === 'parked');
  };
  return useResource(`failing ${name}`, read, { follows: ['hops', 'clock', 'gap'] }).value ?? false;
}

/** The deliveries of a webhook. Shown deliveries change in their rows; new ones wait while the list is in use. */
export const useDeliveries = (name: string, isInUse: () => boolean): GrowingList<Delivery> =>
  useGrowingList({
    key: `deliveries to ${name}`,
    read: (before, signal) => control('list-webhook-deliveries', { params: { name }, query: { before, limit: PAGE } }, { signal }),
    keyOf: ({ id }) => id,
    placeOf: ({ id }) => Number(id),
    changes: true,
    follows: ['hops', 'events', 'clock', 'faults'],
    isInUse,
  });
