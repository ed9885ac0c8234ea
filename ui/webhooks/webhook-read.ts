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

/** The deliveries of a webhook: those that are shown change where they stand, and new ones wait while the list is in use. */
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
