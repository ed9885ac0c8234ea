import type { z } from 'zod';
import type { Explanation } from '../../shared/catalog/control/operations/explanations.ts';

export type Explained = z.output<typeof Explanation>;
export type Reason = Explained['reasons'][number];
