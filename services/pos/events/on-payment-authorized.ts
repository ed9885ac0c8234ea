import { tenderMoved } from '../tender-news.ts';

export const onPaymentAuthorized = tenderMoved;
