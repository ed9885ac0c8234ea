import type { Hop } from './hop.ts';

export interface CurlOptions {
  readonly origin: string;
  readonly rehearsal: string;
  readonly auth: 'bearer' | 'api-key' | 'signature' | 'none';
  /** The credential to send. A placeholder if this tab does not have it. */
  readonly credential: string | undefined;
  /** Whether the credential is bound to a rehearsal. */
  readonly bound: boolean;
}

/** The request of a hop as a shell command. It has the recorded body. If secrets in the body are redacted, the estate refuses it. */
export function curlOf({ method, path, request }: Pick<Hop, 'method' | 'path' | 'request'>, options: CurlOptions): string {
  const { origin, rehearsal, auth, credential, bound } = options;
  const headers = [
    auth === 'bearer' && `Authorization: Bearer ${credential ?? '$ESTATE_BEARER_TOKEN'}`,
    auth === 'api-key' && `X-API-Key: ${credential ?? '$ESTATE_API_KEY'}`,
    !bound && `X-Rehearsal: ${rehearsal}`,
    request !== undefined && request !== null && 'Content-Type: application/json',
  ].filter((header) => header !== false);
  const body = request === undefined || request === null ? [] : [`-d ${quoted(JSON.stringify(request))}`];
  return [`curl -i -X ${method} ${quoted(origin + path)}`, ...headers.map((header) => `-H ${expandable(header)}`), ...body].join(' \\\n  ');
}

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** Double quotes only where the shell must fill in a placeholder. */
const expandable = (header: string): string => (header.includes('$ESTATE_') ? `"${header}"` : quoted(header));
