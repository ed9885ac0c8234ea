import * as declared from '../../shared/catalog/control/operations/timelines.ts';
import { findSubject } from '../explanations/find.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';
import { timelineOf } from '../timelines/timeline-of.ts';

export const readTimeline = operate(declared.readTimeline)(async ({ params: { type, id }, query: { limit } }, scope) => {
  const { inSlices, gone, worlds, view } = scope;
  const { type: of, found } = await findSubject(scope, type, id);
  const timeline = await inSlices(gone, (breathe) => timelineOf(scope, { type: of, found, limit }, breathe));
  await requireCurrent(worlds, view.world);
  return timeline;
});
