import type { EventName, EventObject } from './call-types.ts';

type Prefix = 'com.unified-commerce.';
/** The type of an event, with or without its prefix: `order-confirmed`, `com.unified-commerce.order-confirmed`. */
export type EventType = EventName | `${Prefix}${EventName}`;
type NameOf<Type extends EventType> = Type extends `${Prefix}${infer Name extends EventName}`
  ? Name
  : Type extends EventName
    ? Type
    : never;

/** An event on the bus, in the format of CloudEvents 1.0. The type determines the object. */
export type EstateEvent<Type extends EventType = EventName> = { [Name in NameOf<Type>]: EventOf<Name> }[NameOf<Type>];

interface EventOf<Name extends EventName> {
  readonly id: string;
  /** With its prefix: `com.unified-commerce.order-confirmed`. */
  readonly type: `${Prefix}${Name}`;
  /** `order/ord_…` */
  readonly subject: string;
  readonly time: string;
  readonly source: string;
  readonly rehearsal: string;
  readonly correlationid: string;
  readonly aggregateversion: number;
  readonly data: { readonly object: EventObject<Name>; readonly previousState?: string };
  readonly [member: string]: unknown;
}
