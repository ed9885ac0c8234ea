import type { StateKind } from '../../shared/catalog/state-kinds.ts';
import type { Tone } from '../kit/format.ts';
import type { Delivery } from './webhook-read.ts';

interface Shown {
  readonly words: string;
  /** Of its badge. */
  readonly tone?: Tone;
  /** In a table. */
  readonly kind: StateKind;
}

/** The states of a delivery. A state that needs a person comes first. */
export const DELIVERY_STATES: { readonly [State in Delivery['state']]: Shown } = {
  parked: { words: '! parked', tone: 'bad', kind: 'failed' },
  cancelled: { words: 'cancelled', kind: 'failed' },
  waiting: { words: 'waiting', tone: 'event', kind: 'moving' },
  delivered: { words: '✓ delivered', tone: 'good', kind: 'done' },
};

export const WORST_FIRST = Object.keys(DELIVERY_STATES) as readonly Delivery['state'][];
