import { putFault as operation } from '../../shared/catalog/control/operations/faults.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import { checkFault, checkName } from '../faults/check.ts';
import { describeFault } from '../faults/describe.ts';
import { operate } from '../operate.ts';

const named = operate(operation)(async ({ params: { name }, body }, { world, worlds }) => {
  checkFault(body);
  const json = JSON.stringify(body);
  if (!(await worlds.setFault(world, name, json))) {
    throw new Problem('too_many_faults', `A rehearsal has at most ${MOST_FAULTS} faults; delete one to set "${name}".`);
  }
  return describeFault({ name, json, hits: 0 });
});

/** The name stands first in the request, so it is validated before the body. */
export const putFault: typeof named = {
  ...named,
  prepare: (sent) => {
    checkName(sent.params['name'] ?? '');
    return named.prepare(sent);
  },
};
