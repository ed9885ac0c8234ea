import type { ListedHop } from '../data/hop.ts';

/** `request`: from outside. `call`: between applications. `event`: its delivery. `webhook`: signed, through the gateway. `timer`: due work. */
export type MessageKind = 'request' | 'call' | 'event' | 'webhook' | 'timer';

/** A hop of the journal as a message between participants. */
export interface Message {
  readonly hop: ListedHop;
  readonly kind: MessageKind;
  /** The application that caused it; `client` for a request from outside. */
  readonly from: string;
}

export const CLIENT = 'client';
