import { redriveParked as operation } from '../../shared/catalog/control/operations/events.ts';
import { redrive } from '../events/redrive.ts';
import { operate } from '../operate.ts';

export const redriveParked = operate(operation)(({ body }, { world, worlds }) => redrive(worlds, world, body.key));
