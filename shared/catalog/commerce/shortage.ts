import { z } from 'zod';

/** What is to be done with units that their location lacks when they are picked. */
export const Shortage = z
  .enum(['elsewhere', 'cancel'])
  .describe(
    'Our addition. What happens to units that a location lacks when they are picked. elsewhere: other locations serve them as far as they have them; if the customer collects the goods, they are sent to the store. cancel: they are cancelled and refunded. Default: elsewhere.',
  );

/** Only a basket or an order whose short units are cancelled has the member. */
export const CancelsShortage = z
  .literal('cancel')
  .optional()
  .describe('Our addition. Units that their location lacks when they are picked are cancelled and refunded. Absent for all other orders.');
