import { listLifeCycles as operation } from '../../shared/catalog/control/operations/objects.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { describeLifeCycle } from '../objects/life-cycles.ts';
import { operate } from '../operate.ts';

export const listLifeCycles = operate(operation)(async () => ({ items: objects.flatMap(describeLifeCycle) }));
