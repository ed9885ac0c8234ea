import type { OutgoingMessage } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
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

/** The security headers, which are the same for every answer. */
export const SECURITY_HEADERS: readonly OwnHeader[] = record();

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
