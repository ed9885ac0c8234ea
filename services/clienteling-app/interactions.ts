import { logInteraction as logInteractionApi } from '../../shared/catalog/customer/apis.ts';
import { logCustomerInteraction } from '../../shared/catalog/customer/internal.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { CLOCK_TOLERANCE_MS, instant } from '../../shared/domain/time.ts';
import { handle } from '../../shared/work/handler.ts';

export const logInteraction = handle(logInteractionApi)(async ({ body: { customerId, ...interaction } }, { work, call }) => {
  const { occurredAt } = interaction;
  const aheadMs = occurredAt === undefined ? 0 : Date.parse(occurredAt) - work.now;
  if (aheadMs > CLOCK_TOLERANCE_MS) {
    throw invalid('/occurredAt', 'in_the_future', `${occurredAt} is later than now; log an interaction after it has happened.`);
  }
  const body = aheadMs > 0 ? { ...interaction, occurredAt: instant(work.now) } : interaction;
  return call(logCustomerInteraction, { params: { id: customerId }, body });
});
