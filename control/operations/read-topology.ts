import { readTopology as operation } from '../../shared/catalog/control/operations/topology.ts';
import { operate } from '../operate.ts';

export const readTopology = operate(operation)((_input, { world, topology }) => topology(world));
