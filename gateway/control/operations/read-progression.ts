import { readProgression as operation } from '../../../shared/catalog/simulation/operations/progression.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { operate } from '../operate.ts';

export const readProgression = operate(operation)(async (_input, { view }) => progressionOf(view));
