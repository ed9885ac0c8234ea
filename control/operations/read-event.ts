import { readEvent as operation } from '../../shared/catalog/control/operations/events.ts';
import { readEventWithConsumers } from '../events/consumers.ts';
import { operate } from '../operate.ts';

export const readEvent = operate(operation)(({ params: { id } }, { world, worlds }) => readEventWithConsumers(worlds, world, id));
