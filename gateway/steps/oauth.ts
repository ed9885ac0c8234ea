import { OUTSIDE } from '../../shared/catalog/control/faults.ts';
import { expiredToken } from '../credentials.ts';
import type { Exchange } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { KnownClient } from '../oauth/clients.ts';
import { type Form, presentedClient, readForm } from '../oauth/form.ts';
import { OAuthRefusal } from '../oauth/refusal.ts';
import { methodNotAllowed } from '../problems.ts';
import { type Dry, type ForApi, OAUTH_METHODS } from './address.ts';
import type { Identified, Received } from './answer.ts';
import type { Authenticated, Entered } from './rehearsal.ts';

/** @throws Problem method_not_allowed */
export function refuseOtherMethods({ request: { method = '' } }: Exchange): void {
  if (!OAUTH_METHODS.includes(method)) throw methodNotAllowed(method, OAUTH_METHODS);
}

interface Submitted {
  readonly form: Form;
}

/** @throws OAuthRefusal invalid_request */
export const readParameters = ({ request, body }: Exchange & Received): Submitted => ({ form: readForm(request, body) });

interface ByClient extends Authenticated {
  readonly client: KnownClient;
}

/** Counts the request of a client, known or not, and authenticates it. @throws Problem rate_limited; OAuthRefusal invalid_request, invalid_client */
export const authenticateClient =
  ({ limits, clients }: GatewayParts) =>
  async ({ request, form }: Exchange & Submitted): Promise<ByClient> => {
    const presented = presentedClient(request, form);
    limits.countKey(clients.hashOf(presented));
    const client = await clients.authenticate(presented);
    if (!client)
      throw new OAuthRefusal(
        'invalid_client',
        'The client is unknown, or its secret is wrong. The client of a deleted rehearsal is unknown.',
      );
    return { client, caller: client.caller };
  };

/** The only grant. @throws OAuthRefusal invalid_request, unsupported_grant_type */
export function requireClientCredentials({ form: { grant_type: grant } }: Submitted): void {
  if (grant === undefined) throw new OAuthRefusal('invalid_request', 'Send grant_type=client_credentials.');
  if (grant !== 'client_credentials')
    throw new OAuthRefusal('unsupported_grant_type', 'The only grant is client_credentials: send grant_type=client_credentials.');
}

interface Scoped {
  readonly scopes: readonly string[];
}

/** The scopes of the request; without any, all scopes of the client. @throws OAuthRefusal invalid_scope */
export function chooseScopes({ form: { scope }, client: { caller } }: Submitted & ByClient): Scoped {
  const asked = [...new Set(scope?.split(' ').filter((name) => name !== ''))];
  if (asked.some((name) => !caller.scopes.includes(name)))
    throw new OAuthRefusal('invalid_scope', `The client has other scopes: ${caller.scopes.join(' ')}.`);
  return { scopes: asked.length === 0 ? caller.scopes : asked };
}

/** Lets access tokens expire before a call, as a fault demands. A dry run is not struck. @throws Problem unauthenticated */
export const strikeToken =
  ({ faults, access }: GatewayParts) =>
  (call: ForApi & Dry & Authenticated & Entered & Identified): Promise<void> | undefined => {
    const { api, isDryRun, caller, view, ids } = call;
    const { world, now, faults: revision } = view;
    const generation = caller?.tokenGeneration;
    // Most calls have no access token, and most rehearsals no fault. Then nothing is awaited.
    if (generation === undefined || revision === 0 || isDryRun) return undefined;
    const target = { application: api.application, api: api.id, caller: OUTSIDE };
    return faults.strikeToken({ world, revision }, target, { requestId: ids.requestId }).then(async (rule) => {
      if (!rule) return;
      await access.expireTokens(world, { generation: generation + 1, at: now });
      throw expiredToken(now, rule.name);
    });
  };

/** Issuing a token counts as use of its rehearsal. */
export const issueToken =
  ({ accessTokens, noteUse }: GatewayParts) =>
  ({ response, client, scopes, view: { world, rehearsal, now, tokenExpiry } }: Exchange & ByClient & Scoped & Entered): void => {
    noteUse(rehearsal);
    const generation = tokenExpiry?.generation ?? 0;
    const token = accessTokens.issue({ world, client: client.id, scopes, endsAt: now + client.expiresIn * 1_000, generation });
    const body = { access_token: token, token_type: 'Bearer', expires_in: client.expiresIn, scope: scopes.join(' ') };
    answer(response, JSON.stringify(body));
  };

/**
 * Revokes a token of the client. An unknown or expired token, or a token of a replaced world, needs no revocation, and gets the same answer
 * (RFC 7009 §2.2).
 * @throws OAuthRefusal invalid_request, invalid_grant for a token of another client; Problem dependency_unavailable
 */
export const revokeToken =
  ({ accessTokens, revocations }: GatewayParts) =>
  async ({ response, form: { token }, client }: Exchange & Submitted & ByClient): Promise<void> => {
    if (token === undefined) throw new OAuthRefusal('invalid_request', 'Send the token to revoke as token=...');
    const grant = accessTokens.read(token);
    if (grant && grant.client !== client.id) throw new OAuthRefusal('invalid_grant', 'The token belongs to another client.');
    if (grant) await revocations.revoke(grant);
    answer(response, '');
  };

function answer(response: Exchange['response'], json: string): void {
  const type = json === '' ? {} : { 'Content-Type': 'application/json; charset=utf-8' };
  const headers = { ...type, 'Content-Length': Buffer.byteLength(json), 'Cache-Control': 'no-store', Pragma: 'no-cache' };
  response.writeHead(200, headers).end(json);
}
