import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** The documents override the policy for their HTML. */
const apply = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // The gateway speaks plain HTTP; the proxy that terminates TLS sets this header.
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

export const setSecurityHeaders = (request: IncomingMessage, response: ServerResponse): void => apply(request, response, () => {});
