import type { OutgoingMessage } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { IncomingMessage, ServerResponse } from '../shared/process/node-http.ts';
import { type OwnHeader, ownHeader } from './application-headers.ts';

/** The documents override the policy for their HTML. */
const apply = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginEmbedderPolicy: false,
  originAgentCluster: false,
  // The gateway speaks plain HTTP; the proxy that terminates TLS sets this header.
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

class Recorder extends ServerResponse {
  readonly headers: OwnHeader[] = [];

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.headers.push(ownHeader(name, String(value)));
    return this;
  }
}

/** The security headers of most answers. */
const SECURITY_HEADERS: readonly OwnHeader[] = record();

const RESOURCE_POLICY = 'Cross-Origin-Resource-Policy';

/** Pages of other origins and mails show a picture that needs no credential. */
const PICTURE_HEADERS: readonly OwnHeader[] = [
  ...SECURITY_HEADERS.filter(({ name }) => name !== RESOURCE_POLICY),
  ownHeader(RESOURCE_POLICY, 'cross-origin'),
];

/** The security headers of the answers of an API. */
export const securityHeadersOf = ({ auth, produces }: Pick<ApiDefinition, 'auth' | 'produces'>): readonly OwnHeader[] =>
  auth === 'none' && produces.startsWith('image/') ? PICTURE_HEADERS : SECURITY_HEADERS;

/**
 * Documents have a lifetime in caches, answers of APIs have none. Without `Vary`, a cache would give the answer to a request without an origin to a page of an
 * allowed origin, which could not read it.
 */
const OWN_HEADERS: readonly OwnHeader[] = [...SECURITY_HEADERS, ownHeader('Vary', 'Origin')];

/** Sets the headers of the gateway's own answers that the answer does not have yet. */
export function setSecurityHeaders(response: OutgoingMessage): void {
  for (const { name, value } of OWN_HEADERS) if (!response.hasHeader(name)) response.setHeader(name, value);
}

function record(): readonly OwnHeader[] {
  const request = new IncomingMessage(new Socket());
  const recorder = new Recorder(request);
  apply(request, recorder, () => {});
  return recorder.headers;
}
