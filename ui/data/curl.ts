import type { Hop } from './hop.ts';

export interface CurlOptions {
  readonly origin: string;
  readonly rehearsal: string;
  readonly auth: 'bearer' | 'api-key' | 'signature' | 'none';
  /** What the client sends; a placeholder when this tab does not know it. */
  readonly credential: string | undefined;
  /** Whether the credential is bound to a rehearsal. */
  readonly bound: boolean;
}

/** The request of a hop as a command for a shell. The body is as it was recorded: the estate refuses it where secrets in it are redacted. */
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
