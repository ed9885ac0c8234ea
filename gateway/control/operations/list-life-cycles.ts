import { objects } from '../../../shared/catalog/objects.ts';
import { listLifeCycles as operation } from '../../../shared/catalog/simulation/operations/objects.ts';
import { describeLifeCycle } from '../objects/life-cycles.ts';
import { operate } from '../operate.ts';

export const listLifeCycles = operate(operation)(async () => ({ items: objects.flatMap(describeLifeCycle) }));
