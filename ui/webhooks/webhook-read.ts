import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { control, held, type Output, type Resource, useReread, useResource } from '../data/data.ts';

export type Webhook = Output<'list-webhooks'>['items'][number];
export type Delivery = Output<'list-webhook-deliveries'>['items'][number];

const PAGE = 50;
/** Most deliveries of an answer. */
const MOST = 200;

export const readWebhooks = async (signal: AbortSignal): Promise<readonly Webhook[]> =>
  (await control('list-webhooks', undefined, { signal })).items;

/** The registered webhooks of a rehearsal, read again when something happened in it. */
export function useWebhooks(rehearsal: string): Resource<readonly Webhook[]> {
  const read = useResource(`webhooks of ${rehearsal}`, readWebhooks);
  useReread(['hops', 'events', 'clock', 'gap'], read.reload);
  return read;
}

interface ReadDeliveries {
  readonly items: readonly Delivery[];
  readonly hasMore: boolean;
}

/** The latest deliveries of a webhook, newest first. */
async function readDeliveries(name: string, count: number, signal: AbortSignal): Promise<ReadDeliveries> {
  const items: Delivery[] = [];
  let before: number | undefined;
  do {
    const limit = Math.min(MOST, count - items.length);
    const page = await control('list-webhook-deliveries', { params: { name }, query: { before, limit } }, { signal });
    items.push(...page.items);
    before = page.next;
  } while (before !== undefined && items.length < count);
  return { items, hasMore: before !== undefined };
}

export interface DeliveryList {
  readonly read: Resource<ReadDeliveries>;
  readonly shown: readonly Delivery[];
  /** New ones that wait until the list is left. */
  readonly waiting: number;
  readonly showWaiting: () => void;
  /** Absent: there are no older ones. */
  readonly showOlder: (() => void) | undefined;
}

/** The deliveries of a webhook: those that are shown change where they stand, and new ones wait while the list is in use. */
export function useDeliveries(rehearsal: string, name: string, isInUse: () => boolean): DeliveryList {
  const count = useRef(PAGE);
  const read = useResource(`deliveries of ${rehearsal} ${name}`, (signal) => readDeliveries(name, count.current, signal));
  useReread(['hops', 'events', 'clock', 'faults', 'gap'], read.reload);
  const [newest, setNewest] = useState(0);
  const items = read.value?.items ?? [];
  const numberOf = ({ id }: Delivery): number => Number(id);
  const showWaiting = (): void => setNewest(Math.max(0, ...items.map(numberOf)));
  const isHeld = held.value;
  const known = items.filter((one) => numberOf(one) <= newest);
  useLayoutEffect(() => {
    if (known.length === 0 || !(isHeld || isInUse())) showWaiting();
  }, [read.value, isHeld]);
  const showOlder = (): void => {
    count.current += PAGE;
    read.reload();
  };
  return {
    read,
    shown: known,
    waiting: items.length - known.length,
    showWaiting,
    showOlder: read.value?.hasMore ? showOlder : undefined,
  };
}
