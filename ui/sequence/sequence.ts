import {
  type Arrow as AnyArrow,
  type Message as AnyMessage,
  type Sequence as AnySequence,
  sequenceOf as orderOf,
} from '../../shared/control/sequence.ts';
import { apis } from '../data/catalog.ts';
import type { ListedHop } from '../data/hop.ts';

export { CLIENT } from '../../shared/control/sequence.ts';

export type Message = AnyMessage<ListedHop>;
export type Arrow = AnyArrow<ListedHop>;
export type Sequence = AnySequence<ListedHop>;

/** Reconstructs the sequence from the hops of a journal. */
export const sequenceOf = (hops: readonly ListedHop[]): Sequence => orderOf(hops, (api) => apis[api]?.auth === 'signature');
