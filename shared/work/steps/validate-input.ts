import type { IncomingHttpHeaders } from 'node:http';
import { IdempotencyKey, IfMatch } from '../../catalog/headers.ts';
import { Problem } from '../../catalog/problems.ts';
import { REMEDY, refuseRedacted, refuseSecrets } from '../../contract/secrets.ts';
import { parseParams, parsePart } from '../../contract/validation.ts';
import { CENSOR } from '../../domain/censor.ts';
import type { Answered } from '../job.ts';
import { headerOf } from './header-of.ts';
import type { Step } from './step.ts';
import type { VerifiedRequest } from './verify-signature.ts';

export interface ValidRequest extends VerifiedRequest {
  readonly input: { readonly params: Readonly<Record<string, string>>; readonly query: unknown; readonly body: unknown };
  readonly idempotencyKey: string | undefined;
  /** The header, unless it is `*`, which any version of an object matches. */
  readonly ifMatch: string | undefined;
}

/** Validates parameters, query, body and headers against the declaration of the API. */
export const validateInput: Step<VerifiedRequest, ValidRequest, Answered> = async (job, rest) => {
  const input = inputOf(job);
  const { headers } = job.received;
  const idempotencyKey = idempotencyKeyIn(headers);
  const ifMatch = ifMatchIn(headers);
  return rest({ ...job, input, idempotencyKey, ifMatch });
};

function inputOf({ bound: { api }, received, context, body: sent }: VerifiedRequest): ValidRequest['input'] {
  const isFromService = context.chain.length > 0;
  const params = parseParams(received.params);
  if (!isFromService) {
    refuseRedacted(params, 'path');
    refuseRedacted(received.query, 'query');
    if (sent) refuseSecrets(sent.value);
  }
  const query = parsePart(api.query, received.query, 'query');
  const schema = isFromService ? api.serviceRequest : api.request;
  const body = api.method === 'GET' ? {} : parsePart(schema, sent ? sent.value : {}, 'body');
  return { params, query, body };
}

/** The key without its quotes. */
function idempotencyKeyIn(headers: IncomingHttpHeaders): string | undefined {
  const header = headerOf(headers, 'idempotency-key');
  if (header === undefined) return undefined;
  if (header.includes(CENSOR)) throw invalidHeader('Idempotency-Key', REMEDY.redacted);
  if (IdempotencyKey.safeParse(header).success) return header.replace(/^"(.*)"$/, '$1');
  throw invalidHeader('Idempotency-Key', 'An Idempotency-Key has 1 to 255 characters.');
}

function ifMatchIn(headers: IncomingHttpHeaders): string | undefined {
  const header = headerOf(headers, 'if-match');
  if (header === undefined || header === '*') return undefined;
  if (IfMatch.safeParse(header).success) return header;
  throw invalidHeader('If-Match', 'If-Match takes ETags of the object as it was read, separated by commas, or *: "<version>".');
}

const invalidHeader = (name: string, detail: string): Problem =>
  new Problem('malformed_request', detail, { errors: [{ pointer: name, code: 'invalid_header', detail }] });
