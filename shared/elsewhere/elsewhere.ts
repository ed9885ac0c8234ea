import type { ApplicationParts } from '../work/application-parts.ts';
import type { Elsewhere } from '../work/elsewhere.ts';
import { type ElsewhereAccess, elsewhereParts } from './parts.ts';
import { shadowDelivery, shadowRequest } from './shadow/shadow.ts';
import { forwarding } from './swap/forward.ts';
import { postEvent } from './swap/post-event.ts';
import { answerReport } from './swap/report.ts';

/** The real systems of an application, as its worlds name them. */
export function createElsewhere(application: ApplicationParts, access: ElsewhereAccess): Elsewhere {
  const parts = elsewhereParts(application, access);
  return {
    answer: async (job, rest) => {
      const swap = await parts.swapIn(job.context.world);
      if (!swap) return rest(job);
      return swap.mode === 'shadow' ? shadowRequest(parts, swap)(job, rest) : rest({ ...job, instead: forwarding(parts, job, swap) });
    },
    deliver: async (job, rest) => {
      const swap = await parts.swapIn(job.context.world);
      if (!swap) return rest(job);
      return swap.mode === 'shadow' ? shadowDelivery(parts, swap)(job, rest) : rest({ ...job, instead: postEvent(parts, swap, job.notes) });
    },
    report: answerReport(parts),
  };
}
