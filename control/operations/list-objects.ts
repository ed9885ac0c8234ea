import { listObjects as operation } from '../../shared/catalog/control/operations/objects.ts';
import { listObjectsOf } from '../objects/list.ts';
import { listedType } from '../objects/types.ts';
import { operate } from '../operate.ts';

export const listObjects = operate(operation)(async ({ params, query }, { world, worlds, objects }) =>
  listObjectsOf(worlds, world, listedType(objects, params.type), query),
);
