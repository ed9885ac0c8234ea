import { readJournal as operation } from '../../../shared/catalog/simulation/operations/inspection.ts';
import { readHops } from '../journal-reader.ts';
import { operate } from '../operate.ts';

export const readJournal = operate(operation)(({ query }, { world, worlds, stopping }) => readHops(worlds, world, { ...query, stopping }));
