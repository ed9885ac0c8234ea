import { tenderMoved } from '../tender-news.ts';

export const onPaymentChanged = tenderMoved;
