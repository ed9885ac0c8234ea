import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { ApiDefinition } from '../../catalog/define.ts';
import { IdempotencyKey, IfMatch } from '../../catalog/headers.ts';
import { Problem } from '../../catalog/problems.ts';
import { bodyLimit } from '../../contract/body-limit.ts';
import { withoutDryRun } from '../../contract/dry-run.ts';
import { REMEDY, refuseRedacted, refuseSecrets, withoutSecrets } from '../../contract/secrets.ts';
import { ignoredMembers, parseBody as parseMembers, parseParams, parseQuery } from '../../contract/validation.ts';
import { SIGNER } from '../../control/context.ts';
import { refuseWebhook } from '../../control/webhook-signature.ts';
import { CENSOR } from '../../domain/censor.ts';
import { type JsonBody, readJson } from '../../http/request-body.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Answered, ApiRequest, WithFigures } from '../job.ts';
import type { Step } from './step.ts';

/** A header that is sent once. @param name in lower case */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

interface ParsedRequest extends ApiRequest, WithFigures {
  readonly body: JsonBody | undefined;
}

/** Parses the body as JSON, before any schema sees it. */
export const parseBody: Step<ApiRequest & WithFigures, ParsedRequest, Answered> = async (job, rest) =>
  rest({ ...job, body: await noteBody(job) });

/** Parses the body and records it. @throws Problem when it is not JSON */
export async function noteBody({ bound, received, context, notes }: ApiRequest): Promise<JsonBody | undefined> {
  const isInside = context.chain.length > 0;
  const body = await readJson(received.headers, received.body, isInside ? { isInside } : { most: bodyLimit(bound.api) });
  notes.request = body?.value;
  notes.requestText = body?.text;
  if (context.chain.length === 0) notes.headers = notedHeaders(received.headers);
  return body;
}

/** Headers that change the effect of a request. */
const NOTED_HEADERS = ['idempotency-key', 'if-match', 'webhook-id'] as const;

function notedHeaders(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  const noted = NOTED_HEADERS.flatMap((name) => {
    const value = headerOf(headers, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return noted.length > 0 ? Object.fromEntries(noted) : undefined;
}

interface VerifiedRequest extends ParsedRequest {
  readonly webhookId: string | undefined;
}

/** Refuses a webhook unless the rehearsal's secret signed its body, recently by the rehearsal's clock. */
export const verifySignature =
  <Result>({ directory }: ApplicationParts): Step<ParsedRequest, VerifiedRequest, Result> =>
  async (job, rest) => {
    const { bound, body, context, received, notes } = job;
    if (bound.api.auth !== 'signature') return rest({ ...job, webhookId: undefined });
    const view = await directory.current(context.world);
    const webhookId = headerOf(received.headers, 'webhook-id');
    const refusal = refuseWebhook(view?.credentials.webhookSecret ?? '', {
      id: webhookId,
      timestamp: headerOf(received.headers, 'webhook-timestamp'),
      signatures: headerOf(received.headers, 'webhook-signature'),
      body: body?.text ?? '',
      now: context.now,
    });
    if (refusal !== undefined) throw new Problem('unauthenticated', `The webhook is refused: ${refusal}`);
    notes.principal = SIGNER;
    return rest({ ...job, context: { ...context, principal: SIGNER }, webhookId });
  };

/** Characters of a type that the journal shows. */
const TYPE_CHARACTERS = 200;

/** A sender has more types of webhooks than the estate. Webhooks of an unknown type are accepted, so that the sender does not repeat them. */
export const acceptOtherTypes: Step<VerifiedRequest, VerifiedRequest, Answered> = async (job, rest) => {
  const { api } = job.bound;
  const known = api.auth === 'signature' ? typesOf(api) : [];
  const { type } = (job.body?.value ?? {}) as { readonly type?: unknown };
  if (known.length === 0 || typeof type !== 'string' || type === '' || type.length > TYPE_CHARACTERS || known.includes(type))
    return rest(job);
  job.notes.unchanged = `The type ${type} is unknown. Webhooks of the type ${known.join(', ')} report scans.`;
  return { status: 204, body: '', contentType: 'application/json; charset=utf-8' };
};

/** The types of a webhook in its schema. */
function typesOf({ request }: ApiDefinition): readonly unknown[] {
  const type = request instanceof z.ZodObject ? request.shape['type'] : undefined;
  return type instanceof z.ZodLiteral ? [...type.values] : [];
}

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

function inputOf({ bound: { api }, received, context, body: sent, figures, notes }: VerifiedRequest): ValidRequest['input'] {
  const isFromService = context.chain.length > 0;
  const isWebhook = api.auth === 'signature';
  const params = parseParams(received.params);
  if (!isFromService) {
    refuseRedacted(params, 'path');
    refuseRedacted(received.query, 'query');
  }
  const query = parseQuery(api.query, withoutDryRun(api, received.query));
  const schema = isFromService ? api.serviceRequest : api.request;
  const parse = (): unknown =>
    api.method === 'GET' ? {} : parseMembers(schema, sent ? sent.value : {}, isFromService ? undefined : figures.currency);
  if (!isWebhook) return { params, query, body: sent && !isFromService ? withoutSecrets(sent, parse) : parse() };
  const body = parse();
  // What the estate ignores, it does not store.
  refuseSecrets(body);
  const ignored = ignoredMembers(sent?.value, body);
  if (ignored.length > 0) notes.ignored = ignored;
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
