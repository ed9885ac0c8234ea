import { z } from 'zod';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { rowFor } from '../../shared/catalog/life-cycle.ts';
import {
  enrollLoyaltyMember as enrollLoyaltyMemberApi,
  issueLoyaltyPoints as issueLoyaltyPointsApi,
  redeemLoyaltyPoints as redeemLoyaltyPointsApi,
} from '../../shared/catalog/loyalty/apis.ts';
import { putLedgerEntry, putMember } from '../../shared/catalog/loyalty/internal.ts';
import { CardNumber } from '../../shared/catalog/loyalty/objects.ts';
import { isProblem, isUnknownOutcome, notFound, Problem } from '../../shared/catalog/problems.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { customers, enrolments } from './collections.ts';
import { type CustomerRecord, refuseBlocked } from './customer-rules.ts';

/** An enrolment, stored before the Loyalty Platform is called. */
const Enrolment = z.object({
  cardNumber: CardNumber.optional(),
  /** Id of the request that enrols the customer. */
  request: z.string(),
});

type Enrolment = z.output<typeof Enrolment>;

/** Finishes an enrolment whose request ended without an outcome. The key is the customer. */
const finishEnrolment = defineDueWork('finish-enrolment', Enrolment);

export const enrollLoyaltyMember = handle(enrollLoyaltyMemberApi)(async ({ body: { customerId, ...card } }, scope) => {
  const { work } = scope;
  const customer = await requireObject(work, customers, customerId);
  refuseBlocked(customer, 'the customer cannot become a member');
  const enrolment = { ...card, request: work.id('int') };
  if (customer.loyaltyAccountId !== undefined) {
    const own = await accountOfRequest(scope, customer, enrolment);
    if (own) return own;
    const detail = `The customer "${customerId}" is already a member, with the account "${customer.loyaltyAccountId}".`;
    throw new Problem('already_enrolled', detail, { objectType: 'customer', id: customerId, loyaltyAccountId: customer.loyaltyAccountId });
  }
  rowFor(customerLifeCycle, customer, 'enrol');
  scheduleEnrolment(scope, customer, enrolment);
  await work.checkpoint();
  try {
    return await enrol(scope, customer, enrolment);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // After a definite refusal nothing is left to finish. After an unknown outcome the due work finishes the enrolment.
    if (!isUnknownOutcome(error)) work.cancel(finishEnrolment, customerId);
    return error;
  }
});

/** An enrolment without an outcome is continued after this time. */
const FINISH_AFTER_MS = durationMs('PT1M');

/** Schedules the due work that finishes the enrolment, to be committed before the Loyalty Platform is called. */
const scheduleEnrolment = ({ work }: Scope, customer: CustomerRecord, enrolment: Enrolment): void =>
  work.schedule(finishEnrolment, customer.id, work.now + FINISH_AFTER_MS, enrolment);

/** Opens the account at the Loyalty Platform and records it; a repeat makes the same call. @throws `already_enrolled`, `dependency_*` */
async function enrol({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  const account = await call(putMember, putMemberInput(customer, cardNumber));
  work.put(enrolments, { id: customer.id, request });
  work.transition(customers, customer, 'enrol', { loyaltyAccountId: account.id });
  work.cancel(finishEnrolment, customer.id);
  return account;
}

const putMemberInput = ({ id: customerId }: CustomerRecord, cardNumber: string | undefined) => ({
  params: { customerId },
  body: { cardNumber },
});

/** The account that this request opened, if due work finished the enrolment before its repeat. @throws Problem `dependency_*` */
async function accountOfRequest({ work, call }: Scope, customer: CustomerRecord, { cardNumber, request }: Enrolment) {
  if ((await work.get(enrolments, customer.id))?.request !== request) return undefined;
  return call(putMember, putMemberInput(customer, cardNumber));
}

/** A refusal by the Loyalty Platform ends the enrolment: the client has received it, or sends the request again. */
export const finishInterruptedEnrolment = handleDue(finishEnrolment)(async ({ key, payload }, scope) => {
  const customer = await scope.work.get(customers, key);
  if (!customer || customer.loyaltyAccountId !== undefined || customer.state === 'blocked') return;
  try {
    await enrol(scope, customer, payload);
  } catch (error) {
    if (!isProblem(error, 'already_enrolled')) throw error;
    scope.log.info({ customerId: customer.id }, 'Loyalty Platform refused an interrupted enrolment');
  }
});

/** The id of a path, for a body, which the Loyalty Platform validates. @throws Problem `not_found` for an id that no account can have */
function accountIn(id: string): string {
  if (!Id.safeParse(id).success) throw notFound('loyalty-account', id);
  return id;
}

/** A façade of the Loyalty Platform's ledger. Without a reference, each request grants points again. */
export const issueLoyaltyPoints = handle(issueLoyaltyPointsApi)(async ({ params: { id }, body }, { work, call, ifMatch }) => {
  const { points, reason, reference = work.id('int') } = body;
  const input = { params: { type: 'issue', reference }, body: { accountId: accountIn(id), points, reason } };
  const { account, repeated } = await call(putLedgerEntry, input, { ifMatch });
  return repeated ? again(account) : account;
});

/** A façade of the Loyalty Platform's ledger. The redemption is the same as after Redeem Points. */
export const redeemLoyaltyPoints = handle(redeemLoyaltyPointsApi)(
  async ({ params: { id }, body: { points, orderId } }, { work, call, ifMatch }) => {
    const input = { params: { type: 'redeem', reference: work.id('int') }, body: { accountId: accountIn(id), points, orderId } };
    const { account, redemption, repeated } = await call(putLedgerEntry, input, { ifMatch });
    if (!redemption)
      throw new Problem('dependency_error', 'The Loyalty Platform answered without a redemption.', { dependency: 'loyalty-platform' });
    return repeated ? again({ account, redemption }) : { account, redemption };
  },
);
