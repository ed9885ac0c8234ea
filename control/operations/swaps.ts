import * as declared from '../../shared/catalog/control/operations/swaps.ts';
import { operate } from '../operate.ts';
import { describeSwaps } from '../swaps/swaps.ts';

export const listSwaps = operate(declared.listSwaps)(async (_input, { world, worlds }) => ({ items: await describeSwaps(worlds, world) }));
