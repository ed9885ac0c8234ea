import { notFound } from '../../../shared/catalog/problems.ts';
import { readHop as operation } from '../../../shared/catalog/simulation/operations/journal.ts';
import { recordOf } from '../../../shared/simulation/journal.ts';
import { operate } from '../operate.ts';

export const readHop = operate(operation)(async ({ params }, { world, worlds }) => {
  const { requestId = '' } = params;
  const hop = await worlds.hop(world, requestId);
  if (!hop) throw notFound('hop', requestId);
  return recordOf(hop);
});
