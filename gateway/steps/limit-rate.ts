import type { AuthScheme } from '../../shared/catalog/define.ts';
import type { PresentedKey } from '../credentials.ts';
import type { Exchange } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Targeted } from './find-target.ts';

export interface Keyed {
  /** The presented key. Undefined for signed requests, and for requests without a key. */
  readonly key: PresentedKey | undefined;
}

/** Counts the request of an address. @throws Problem rate_limited */
export const limitAddress =
  ({ limits }: GatewayParts) =>
  ({ request }: Exchange): void =>
    limits.countAddress(request);

/** Counts the request of a key, known or not. @throws Problem rate_limited */
export const limitKey =
  ({ limits, keyring }: GatewayParts) =>
  ({ request, api }: Targeted): Keyed => {
    const scheme = schemeOf(api);
    const key = scheme === 'signature' ? undefined : keyring.presentedKey(request.headers, scheme);
    if (key) limits.countKey(key.hash);
    return { key };
  };

/** The control plane and the metrics take a bearer token. */
export const schemeOf = (api: Targeted['api']): AuthScheme => api?.auth ?? 'bearer';
