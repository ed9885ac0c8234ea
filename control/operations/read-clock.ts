import { readClock as operation } from '../../shared/catalog/control/operations/clock.ts';
import { instant } from '../../shared/domain/time.ts';
import { operate } from '../operate.ts';

export const readClock = operate(operation)(async (_input, { view }) => ({ now: instant(view.now), flowing: view.flowing }));
