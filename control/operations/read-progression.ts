import { readProgression as operation } from '../../shared/catalog/control/operations/progression.ts';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { operate } from '../operate.ts';

export const readProgression = operate(operation)(async (_input, { view }) => progressionOf(view));
