import type { Exchange, Target } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { setSecurityHeaders } from '../security-headers.ts';
import type { Addressed } from './check-address.ts';

/** A request, with the part that answers it. */
export type Targeted = Exchange & Addressed & Target;

/** A request that an API answers. */
export type ForApi = Targeted & { readonly target: 'api' };

/** Finds the API, or the part of the gateway, that answers the request. */
export const findTarget =
  ({ routes, crossOrigin, observability }: GatewayParts) =>
  ({ request, path }: Exchange & Addressed): Target => {
    // A preflight carries no credential, so it is answered before any other check.
    if (crossOrigin.isPreflight(request)) return { target: 'preflight' };
    if (path === '/healthz' || path === '/readyz') return { target: 'health' };
    if (path === '/_control' || path.startsWith('/_control/')) return { target: 'control plane' };
    if (path === '/metrics' && observability) return { target: 'metrics' };
    const api = routes.find(request.method ?? '', path);
    return api ? { target: 'api', api } : { target: 'documents' };
  };

/** Sets the security headers of the gateway's own answers. An application may replace them in its answers. */
export const secureOwnAnswer = ({ response }: Exchange): void => setSecurityHeaders(response);
