import { listStock as operation } from '../../shared/catalog/control/operations/objects.ts';
import { listStockOf } from '../objects/list-stock.ts';
import { operate } from '../operate.ts';

export const listStock = operate(operation)(({ query }, { world, worlds }) => listStockOf(worlds, world, query));
