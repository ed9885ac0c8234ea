import { z } from 'zod';
import { Id, Instant, Money } from '../shapes.ts';

export const DisputeReason = z
  .enum(['fraudulent', 'product_not_received', 'product_unacceptable', 'duplicate', 'credit_not_processed', 'general'])
  .meta({ id: 'DisputeReason', description: 'What the cardholder claims at the bank.' });

export const DisputeOutcome = z
  .enum(['won', 'lost'])
  .meta({ id: 'DisputeOutcome', description: 'won: the retailer gets the amount back. lost: the cardholder keeps it.' });

export const Dispute = z
  .object({
    id: Id.describe('The payment and the position among its disputes.'),
    state: z.enum(['open', ...DisputeOutcome.options]),
    reason: DisputeReason,
    amount: Money.describe('Withdrawn from the retailer while the dispute is open, and after it is lost.'),
    fee: Money.describe('Charged by the provider, whatever the outcome.'),
    openedAt: Instant,
    respondBy: Instant.describe('When the dispute is lost if it has no outcome.'),
    decidedAt: Instant.optional(),
    decidedSequence: z.int().min(1).optional().describe('Our addition: the place of its decision, counted as the `sequence` of a refund.'),
  })
  .meta({ id: 'Dispute' });
