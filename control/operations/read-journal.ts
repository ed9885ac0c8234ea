import { readJournal as operation } from '../../shared/catalog/control/operations/journal.ts';
import { readHops } from '../journal-reader.ts';
import { operate } from '../operate.ts';

export const readJournal = operate(operation)(({ query: { bodies, ...ask } }, { world, worlds, stopping }) =>
  readHops(worlds, world, { ...ask, bodies: bodies === 'true', stopping }),
);
