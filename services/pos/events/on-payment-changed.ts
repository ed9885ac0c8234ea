import { recordTenderNews } from '../tender/tender-news.ts';

export const onPaymentChanged = recordTenderNews;
