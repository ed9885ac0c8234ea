import { readHop as operation } from '../../shared/catalog/control/operations/journal.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { recordOf } from '../../shared/control/journal.ts';
import { operate } from '../operate.ts';

export const readHop = operate(operation)(async ({ params }, { world, worlds }) => {
  const { requestId = '' } = params;
  const hop = await worlds.hop(world, requestId);
  if (!hop) throw notFound('hop', requestId);
  return recordOf(hop);
});
