import * as declared from '../../shared/catalog/control/operations/plays.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { findSubject } from '../explanations/find.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { playOf, playOfWorld } from '../timelines/play-of.ts';

export const readPlay = operate(declared.readPlay)(async ({ query: { type, id, limit } }, scope) => {
  const { inSlices, gone, worlds, view } = scope;
  if ((type === undefined) !== (id === undefined)) {
    const [given, missing] = type === undefined ? ['id', 'type'] : ['type', 'id'];
    throw invalid(
      `?${missing}`,
      'incomplete',
      `A story with ?${given} needs ?${missing} too. Without both, it is the story of the rehearsal.`,
    );
  }
  const subject = type === undefined || id === undefined ? undefined : await findSubject(scope, type, id);
  const play = await inSlices(gone, (breathe) =>
    subject === undefined ? playOfWorld(scope, limit, breathe) : playOf(scope, { ...subject, limit }, breathe),
  );
  await requireCurrent(worlds, view.world);
  return play;
});
