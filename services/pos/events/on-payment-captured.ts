import { recordTenderNews } from '../tender/tender-news.ts';

export const onPaymentCaptured = recordTenderNews;
