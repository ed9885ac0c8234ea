import type { IncomingHttpHeaders } from 'node:http';
import { isMutating, namesRehearsal } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { parseQuery } from '../../shared/contract/validation.ts';
import { outOfReach } from '../../shared/control/out-of-reach.ts';
import { rehearsalFull, shareTaken } from '../../shared/control/rehearsal-full.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME } from '../../shared/domain/ids.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { type AuthenticatedCaller, CATALOG_SCOPE, CONTROL_SCOPE } from '../credentials.ts';
import type { Exchange } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { type ForApi, type Keyed, schemeOf, type Targeted } from './address.ts';

export interface Authenticated {
  /** The authenticated caller. Undefined for anonymous callers and for signed requests. */
  readonly caller: AuthenticatedCaller | undefined;
}

/** Requires a credential, unless the address names a rehearsal. @throws Problem unauthenticated, forbidden */
export const authenticate =
  ({ keyring, estateCalls }: GatewayParts) =>
  async ({ api, key, named, path, request }: Targeted & Keyed & Partial<NamedInAddress>): Promise<Authenticated> => {
    const realSystem = api ? undefined : await estateCalls.callerOf(request, path);
    if (realSystem) return { caller: realSystem };
    const scheme = schemeOf(api);
    if (scheme === 'signature' || named !== undefined) return { caller: undefined };
    return { caller: await keyring.authenticate(key, { scheme, scope: api ? CATALOG_SCOPE : CONTROL_SCOPE }) };
  };

interface NamedInAddress {
  /** The rehearsal that the address names, if any. */
  readonly named: string | undefined;
}

/**
 * An address may name a rehearsal, for clients that cannot send a header: a browser that follows a link, a carrier's webhook.
 * @throws Problem for an invalid name: unknown_rehearsal in the path, validation_failed in the query
 */
export function readRehearsalInAddress({ api, path, request }: ForApi): NamedInAddress {
  if (namesRehearsal(api)) {
    const named = path.split('/')[api.path.split('/').indexOf('{rehearsal}')] ?? '';
    if (REHEARSAL_NAME.test(named)) return { named };
    throw new Problem('unknown_rehearsal', 'The address names a rehearsal that cannot be one.');
  }
  if (api.auth !== 'signature') return { named: undefined };
  const [named, ...others] = new URLSearchParams(request.url?.slice(path.length)).getAll('rehearsal');
  if (named !== undefined) parseQuery(api.query, { rehearsal: others.length === 0 ? named : [named, ...others] });
  return { named };
}

interface WithRehearsalHeader {
  readonly sentName: string | undefined;
  /** The world of a credential that is bound to one rehearsal. */
  readonly view: WorldView | undefined;
}

/**
 * Reads the header `X-Rehearsal`, unless the address names the rehearsal. A request with an invalid name belongs to no rehearsal, so its
 * refusal is in no journal.
 * @throws Problem malformed_request for an invalid name
 */
export function readRehearsalHeader({ request, caller, named }: Exchange & Authenticated & Partial<NamedInAddress>): WithRehearsalHeader {
  return { sentName: named ?? nameInHeader(request.headers), view: caller?.boundTo };
}

function nameInHeader({ 'x-rehearsal': header }: IncomingHttpHeaders): string | undefined {
  const name = header?.toString();
  if (name === undefined || REHEARSAL_NAME.test(name)) return name;
  const detail = 'A rehearsal is named with 1 to 40 of a-z, 0-9 and "-", and not with "-" first.';
  throw new Problem('malformed_request', detail, { errors: [{ pointer: 'X-Rehearsal', code: 'invalid_header', detail }] });
}

export interface InRehearsal {
  /** Name of the rehearsal; it may not exist yet. */
  readonly rehearsal: string;
}

/** The rehearsal of the credential, of the request, or `default`. @throws Problem forbidden when the credential belongs to another */
export function chooseRehearsal({ sentName, view }: WithRehearsalHeader): InRehearsal {
  const bound = view?.rehearsal;
  if (bound === undefined || sentName === undefined || sentName === bound) return { rehearsal: bound ?? sentName ?? DEFAULT_REHEARSAL };
  throw outOfReach(bound);
}

export interface Entered {
  readonly view: WorldView;
}

/** Finds the world. A known unbound credential creates its rehearsal. @throws Problem unknown_rehearsal, dependency_unavailable */
export const enterRehearsal =
  ({ access }: GatewayParts) =>
  async ({ caller, rehearsal }: Authenticated & InRehearsal): Promise<Entered> => {
    const view = caller?.boundTo ?? (await access.resolve(rehearsal));
    if (view) return { view };
    if (caller) return { view: await access.create(rehearsal) };
    throw new Problem('unknown_rehearsal', `There is no rehearsal "${rehearsal}". Send a credential with its name to create it.`, {
      rehearsal,
    });
  };

/**
 * Counts the request as use of its rehearsal. The carrier's webhooks finish started work, so they may write to a full rehearsal.
 * @throws Problem rehearsal_full for other requests that may write
 */
export const useRehearsal =
  ({ noteUse, worldBytes, heap }: GatewayParts) =>
  ({ view: { rehearsal, bytes }, api }: Entered & ForApi): void => {
    if (isMutating(api) && api.auth !== 'signature') {
      if (bytes >= worldBytes) throw rehearsalFull(rehearsal, bytes, worldBytes);
      const share = heap?.share() ?? worldBytes;
      if (bytes > share) throw shareTaken(rehearsal, bytes, share);
    }
    noteUse(rehearsal);
  };
