import type { output } from 'zod';
import type { Hop as HopSchema } from '../../shared/catalog/control/operations/journal.ts';

export type Hop = output<typeof HopSchema>;
export type ListedHop = Omit<Hop, 'request' | 'response'>;
