import { tenderMoved } from '../tender/tender-news.ts';

export const onPaymentAuthorized = tenderMoved;
