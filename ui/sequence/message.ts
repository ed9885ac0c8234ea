import type { Message as AnyMessage } from '../../shared/control/sequence.ts';
import type { ListedHop } from '../data/hop.ts';

export { CLIENT } from '../../shared/control/sequence.ts';

export type Message = AnyMessage<ListedHop>;
