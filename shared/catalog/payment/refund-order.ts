import type { z } from 'zod';
import type { TenderType } from './objects.ts';

/** Sequence of tenders when an order is refunded. */
export const REFUND_ORDER: readonly z.output<typeof TenderType>[] = ['card', 'bnpl', 'gift-card', 'cash', 'loyalty', 'exchange-credit'];

export const refundOrderInWords = `Refunds go to the tenders in this sequence: ${REFUND_ORDER.join(', ')}; each up to its captured amount less its refunds.`;
