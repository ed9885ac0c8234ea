import { type AuthenticatedCaller, CATALOG_SCOPE, CONTROL_SCOPE } from '../credentials.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Targeted } from './find-target.ts';
import { type Keyed, schemeOf } from './limit-rate.ts';
import type { NamedInAddress } from './rehearsal-in-address.ts';

export interface Authenticated {
  /** The authenticated caller. Undefined for anonymous callers and for signed requests. */
  readonly caller: AuthenticatedCaller | undefined;
}

/** Requires a credential, unless the address names a rehearsal. @throws Problem unauthenticated, forbidden */
export const authenticate =
  ({ keyring }: GatewayParts) =>
  async ({ api, key, named }: Targeted & Keyed & Partial<NamedInAddress>): Promise<Authenticated> => {
    const scheme = schemeOf(api);
    if (scheme === 'signature' || named !== undefined) return { caller: undefined };
    return { caller: await keyring.authenticate(key, { scheme, scope: api ? CATALOG_SCOPE : CONTROL_SCOPE }) };
  };
