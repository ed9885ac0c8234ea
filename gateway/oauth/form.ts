import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../shared/catalog/problems.ts';
import type { PresentedClient } from './clients.ts';
import { inOAuthForm, OAuthRefusal } from './refusal.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
/** The parameters that the endpoints read. Others are ignored, as the RFC demands. */
const PARAMETERS = ['grant_type', 'scope', 'client_id', 'client_secret', 'token', 'token_type_hint'] as const;

/** Longer than any client needs. A body of the usual limit could have half a million parameters. */
const MOST_BYTES = 16_384;

/** The parameters of a request. One without a value counts as absent (RFC 6749 §3.2). */
export type Form = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** Reads the parameters of a request for a token. @throws OAuthRefusal invalid_request */
export function readForm({ headers, url = '' }: IncomingMessage, body: Buffer | undefined): Form {
  // Servers on the way log addresses.
  if (url.includes('?')) throw new OAuthRefusal('invalid_request', 'Send the parameters in the body, not in the address.');
  if (!FORM_TYPE.test(headers['content-type']?.trim() ?? '') || headers['content-encoding'] !== undefined)
    throw new OAuthRefusal('invalid_request', 'Send the body as application/x-www-form-urlencoded in UTF-8, without a Content-Encoding.');
  const bytes = body ?? Buffer.alloc(0);
  if (bytes.length > MOST_BYTES)
    throw inOAuthForm(new Problem('payload_too_large', `The body has more than ${MOST_BYTES} bytes, which no client needs: send fewer.`));
  if (!isUtf8(bytes)) throw new OAuthRefusal('invalid_request', 'The body is not UTF-8.');
  const sent = new URLSearchParams(bytes.toString());
  const repeated = PARAMETERS.filter((name) => sent.getAll(name).length > 1);
  if (repeated.length > 0) throw new OAuthRefusal('invalid_request', `Send each parameter once. Repeated: ${repeated.join(', ')}.`);
  return Object.fromEntries(PARAMETERS.flatMap((name) => (sent.get(name) ? [[name, sent.get(name)]] : [])));
}

/** The client of a request: from HTTP Basic, or from the body. @throws OAuthRefusal invalid_request, invalid_client */
export function presentedClient({ headers: { authorization } }: IncomingMessage, form: Form): PresentedClient {
  const { client_id: id, client_secret: secret } = form;
  if (authorization === undefined) {
    if (id !== undefined && secret !== undefined) return { id, secret };
    throw new OAuthRefusal('invalid_client', 'Authenticate the client: HTTP Basic, or client_id and client_secret in the body.');
  }
  if (secret !== undefined)
    throw new OAuthRefusal('invalid_request', 'Authenticate the client once: by HTTP Basic or in the body, not both.');
  const basic = fromBasic(authorization);
  if (!basic) throw new OAuthRefusal('invalid_client', 'The header Authorization is not HTTP Basic with client_id and client_secret.');
  if (id !== undefined && id !== basic.id)
    throw new OAuthRefusal('invalid_request', 'The client_id in the body is not the client of the header Authorization.');
  return basic;
}

/** Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). */
function fromBasic(authorization: string): PresentedClient | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  const [, id, secret] = (isUtf8(bytes) && /^([^:]+):(.+)$/s.exec(bytes.toString())) || [];
  return id === undefined || secret === undefined ? undefined : { id: decoded(id), secret: decoded(secret) };
}

/** Many clients do not encode the parts. A part that is not encoded is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}
