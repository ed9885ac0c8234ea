import type { z } from 'zod';
import { moveReturnByHand as operation } from '../../shared/catalog/control/operations/outside-world.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { moveReturn } from '../../shared/catalog/fulfillment/internal.ts';
import { ReturnVerb } from '../../shared/catalog/fulfillment/returns.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { operate } from '../operate.ts';
import { parseVerb } from '../outside-verb.ts';

export const moveReturnByHand = operate(operation)(async ({ params: { id, verb: sent }, body }, scope) => {
  const verb = parseVerb(ReturnVerb, sent, 'A return');
  for (const [member, of] of Object.entries(MEMBER_OF)) {
    if (Object.hasOwn(body, member) && verb !== of)
      throw invalid(`/${member}`, 'not_of_verb', `Only ${of} takes this member; leave it out.`);
  }
  return scope.callFromOutside(scope, moveReturn, { params: { id }, body: { ...body, verb } });
});

/** The verb that takes each member of the body. */
const MEMBER_OF = { reason: 'reject', lines: 'inspect' } as const satisfies Partial<
  Record<keyof InputOf<typeof moveReturn>['body'], z.output<typeof ReturnVerb>>
>;
