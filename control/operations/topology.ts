import * as declared from '../../shared/catalog/control/operations/topology.ts';
import { operate } from '../operate.ts';

export const readTopology = operate(declared.readTopology)((_input, { world, topology }) => topology(world));
