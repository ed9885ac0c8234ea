import type { PublishedEvent } from '../events/event-row.tsx';

/** A committed change of an object, from its event. */
export interface Change {
  readonly eventId: string;
  /** Without its prefix: `order-confirmed`, `ext.order-changed`. */
  readonly name: string;
  /** Instant of the rehearsal's clock. */
  readonly at: string;
  readonly correlationId: string | undefined;
  readonly version: number;
  /** null: the object did not exist. Undefined: the object has no states. */
  readonly from: string | null | undefined;
  readonly to: string | undefined;
  /** The reason of a cancellation: `expired`. */
  readonly reason: string | undefined;
}

/** The members of an event about an object. */
export interface EventMembers {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly correlationid?: string;
  readonly aggregateversion?: number;
  readonly data?: { readonly object?: { readonly state?: string; readonly cancelReason?: string }; readonly previousState?: string | null };
}

/** The changes of an object, sorted by version, because a fault may reorder its events. */
export const historyOf = (items: readonly PublishedEvent[]): readonly Change[] =>
  items.map(({ event }) => changeOf(event as unknown as EventMembers)).toSorted((one, other) => one.version - other.version);

function changeOf({ id, type, time, correlationid, aggregateversion = 0, data }: EventMembers): Change {
  const to = data?.object?.state;
  const from = to === undefined ? undefined : (data?.previousState ?? (aggregateversion <= 1 ? null : undefined));
  return {
    eventId: id,
    name: type.replace(/^com\.unified-commerce\./, ''),
    at: time,
    correlationId: correlationid,
    version: aggregateversion,
    from,
    to,
    reason: from === to ? undefined : data?.object?.cancelReason,
  };
}
