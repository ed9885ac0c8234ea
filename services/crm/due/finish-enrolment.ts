import { z } from 'zod';
import { CardNumber } from '../../../shared/catalog/loyalty/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueHandler } from '../../../shared/work/handler.ts';
import { customers } from '../collections.ts';
import { enrol } from '../enrolment.ts';

const Payload = z.object({ cardNumber: CardNumber.optional(), request: z.string() });

/** Takes up an enrolment that broke off. What the Loyalty Platform refuses is over: whoever asked was told, or asks again. */
export const finishEnrolment: DueHandler = async (item, scope) => {
  const customer = await scope.work.get(customers, item.key);
  if (!customer || customer.loyaltyAccountId !== undefined || customer.state === 'blocked') return;
  try {
    await enrol(scope, customer, Payload.parse(item.payload));
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'already_enrolled')) throw error;
    scope.log.info({ customerId: customer.id }, 'an enrolment that broke off was refused');
  }
};
