import { listObjectTypes as operation } from '../../shared/catalog/control/operations/objects.ts';
import { countTypes } from '../objects/types.ts';
import { operate } from '../operate.ts';

export const listObjectTypes = operate(operation)(async (_input, { world, worlds, objects }) => ({
  items: await countTypes(worlds, world, objects),
}));
