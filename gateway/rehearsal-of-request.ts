import type { IncomingHttpHeaders } from 'node:http';
import { type ApiDefinition, namesRehearsal } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { parsePart } from '../shared/contract/validation.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME } from '../shared/domain/ids.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { Directory, WorldView } from '../shared/store/ports/directory.ts';
import type { AuthenticatedCaller } from './credentials.ts';

export interface RehearsalAccessOptions {
  readonly directory: Pick<Directory, 'resolve'>;
  readonly createRehearsal: (name: string) => Promise<WorldView>;
  readonly log: Logger;
}

export interface RehearsalAccess {
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
  /** Seeds a world for the first use of a name. */
  readonly create: (rehearsal: string) => Promise<WorldView>;
}

/** The rehearsals of the store. An unreachable store is a problem of its own, not an error of the gateway. */
export function rehearsalAccess({ directory, createRehearsal, log }: RehearsalAccessOptions): RehearsalAccess {
  const unreachable = (error: unknown): never => {
    if (error instanceof Problem) throw error;
    log.error({ err: error }, 'the store cannot be reached');
    throw new Problem('dependency_unavailable', 'The store of the estate cannot be reached.', { dependency: 'store', retryAfter: 1 });
  };
  return {
    resolve: (rehearsal) => directory.resolve(rehearsal).catch(unreachable),
    create: (rehearsal) => createRehearsal(rehearsal).catch(unreachable),
  };
}

/** The name in the header `X-Rehearsal`, if it has one. @throws Problem malformed_request for an invalid name */
export function nameInHeader({ 'x-rehearsal': header }: IncomingHttpHeaders): string | undefined {
  const name = header?.toString();
  if (name === undefined || REHEARSAL_NAME.test(name)) return name;
  const detail = 'A rehearsal is named with 1 to 40 of a-z, 0-9 and "-", and not with "-" first.';
  throw new Problem('malformed_request', detail, { errors: [{ pointer: 'X-Rehearsal', code: 'invalid_header', detail }] });
}

/**
 * The rehearsal of the token, else of the header, else `default`.
 * @throws Problem forbidden when the token belongs to another rehearsal
 */
export function rehearsalName(header: string | undefined, caller: AuthenticatedCaller | undefined): string {
  const own = caller?.boundTo?.rehearsal;
  if (own === undefined) return header ?? DEFAULT_REHEARSAL;
  if (header !== undefined && header !== own) {
    throw new Problem('forbidden', `The credential belongs to the rehearsal "${own}" and reaches no other.`, { rehearsal: own });
  }
  return own;
}

/**
 * The rehearsal that the address names, for clients that cannot send a header: a browser that follows a link, a carrier's webhook.
 * @throws Problem for an invalid name: unknown_rehearsal in the path, validation_failed in the query
 */
export function rehearsalNamedBy(
  api: ApiDefinition,
  { path, query }: { readonly path: string; readonly query: string },
): string | undefined {
  if (namesRehearsal(api)) {
    const name = path.split('/')[api.path.split('/').indexOf('{rehearsal}')] ?? '';
    if (REHEARSAL_NAME.test(name)) return name;
    throw new Problem('unknown_rehearsal', 'The address names a rehearsal that cannot be one.');
  }
  const [name, ...others] = api.auth === 'signature' ? new URLSearchParams(query).getAll('rehearsal') : [];
  if (name === undefined) return undefined;
  parsePart(api.query, { rehearsal: others.length === 0 ? name : [name, ...others] }, 'query');
  return name;
}

/**
 * The world of a request. Only a known credential that is bound to no rehearsal creates one by its first use.
 * @throws Problem unknown_rehearsal
 */
export async function enterRehearsal(
  name: string,
  caller: AuthenticatedCaller | undefined,
  { resolve, create }: RehearsalAccess,
): Promise<WorldView> {
  if (caller?.boundTo) return caller.boundTo;
  const found = await resolve(name);
  if (found) return found;
  if (!caller) {
    throw new Problem('unknown_rehearsal', `There is no rehearsal "${name}". Send a credential with its name to create it.`, {
      rehearsal: name,
    });
  }
  return create(name);
}
