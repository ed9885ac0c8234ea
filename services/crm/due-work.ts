import { z } from 'zod';
import { CardNumber } from '../../shared/catalog/loyalty/objects.ts';
import { Instant } from '../../shared/catalog/shapes.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';

/** An enrolment, stored before the Loyalty Platform is called. */
const Enrolment = z.object({
  cardNumber: CardNumber.optional(),
  /** Id of the request that enrols the customer. */
  request: z.string(),
});
export type Enrolment = z.output<typeof Enrolment>;

/** Finishes an enrolment whose request ended without an outcome. The key is the customer. */
export const finishEnrolment = defineDueWork('finish-enrolment', Enrolment);

/** Moves an inactive customer to at-risk, then to churned. The key is the customer; `since` is the activity that started the timer. */
export const idle = defineDueWork('idle', z.object({ since: Instant }));
