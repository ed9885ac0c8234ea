import * as declared from '../../shared/catalog/control/operations/explanations.ts';
import { explain } from '../explanations/explain.ts';
import { findSubject } from '../explanations/find.ts';
import { operate } from '../operate.ts';
import { requireCurrent } from '../rehearsals/current.ts';

export const explainObject = operate(declared.explainObject)(async ({ params: { type, id } }, scope) => {
  const { type: of, found } = await findSubject(scope, type, id);
  const explained = await explain(scope, of, found);
  await requireCurrent(scope.worlds, scope.view.world);
  return explained;
});
