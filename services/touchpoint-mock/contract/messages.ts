import type { Alias } from './cases.ts';
import { CalculatedBasket, ResponseLine } from './messages/calculated-basket.ts';
import { Finished, FinishOutcome, StaleDigest } from './messages/finish-results.ts';
import { AuthorizationDenied, FinishRefusal, OtherError, SelectorRefused, TouchpointRefusal } from './messages/refusals.ts';
import { CalculateRequest, FinishRequest, RequestLine } from './messages/requests.ts';

/**
 * Every message of the contract, under its name in the OpenAPI document. Loading checks the fixtures against these schemas, and the
 * served document is derived from them, so the two agree. A description that starts with "Ours" marks a field that the source document
 * does not show.
 */
export const MESSAGES = {
  RequestLine,
  CalculateRequest,
  FinishRequest,
  ResponseLine,
  CalculatedBasket,
  StaleDigest,
  Finished,
  FinishOutcome,
  TouchpointRefusal,
  FinishRefusal,
  AuthorizationDenied,
  SelectorRefused,
  OtherError,
} as const;

export type MessageName = keyof typeof MESSAGES;

/** What each alias is sent. */
export const REQUEST_OF: Readonly<Record<Alias, 'CalculateRequest' | 'FinishRequest'>> = {
  calculate: 'CalculateRequest',
  finish: 'FinishRequest',
};

/** What each alias answers, by status: the statuses that a case may have are exactly these. */
export const RESPONSES_OF: Readonly<Record<Alias, Readonly<Partial<Record<number, MessageName>>>>> = {
  calculate: { 200: 'CalculatedBasket', 403: 'TouchpointRefusal', 503: 'TouchpointRefusal' },
  finish: { 200: 'FinishOutcome', 409: 'FinishRefusal' },
};
