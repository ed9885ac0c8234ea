import { logInteraction as logInteractionApi } from '../../../shared/catalog/customer/apis.ts';
import { logCustomerInteraction } from '../../../shared/catalog/customer/internal.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';

export const logInteraction = handle(logInteractionApi)(async ({ body: { customerId, ...interaction } }, { work, call }) => {
  const { occurredAt } = interaction;
  if (occurredAt !== undefined && Date.parse(occurredAt) > work.now) {
    throw invalid('/occurredAt', 'in_the_future', `${occurredAt} is later than now; log an interaction after it has happened.`);
  }
  return call(logCustomerInteraction, { params: { id: customerId }, body: interaction });
});
