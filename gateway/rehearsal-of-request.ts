import type { Request } from 'express';
import { type ApiDefinition, namesRehearsal } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME } from '../shared/domain/ids.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import type { Caller } from './credentials.ts';

export interface RehearsalAccess {
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
  /** Seeds a world for a name that is used for the first time. */
  readonly create: (rehearsal: string) => Promise<WorldView>;
}

/**
 * The name: of the token's own rehearsal, else of the header, else `default`.
 * @throws Problem malformed_request for a name that cannot be one, forbidden for another than the token's
 */
export function rehearsalName(header: string | undefined, caller: Caller | undefined): string {
  if (header !== undefined && !REHEARSAL_NAME.test(header)) {
    const detail = 'A rehearsal is named with 1 to 40 of a-z, 0-9 and "-", and not with "-" first.';
    throw new Problem('malformed_request', detail, { errors: [{ pointer: 'X-Rehearsal', code: 'invalid_header', detail }] });
  }
  const own = caller?.bound?.rehearsal;
  if (own === undefined) return header ?? DEFAULT_REHEARSAL;
  if (header !== undefined && header !== own) {
    throw new Problem('forbidden', `The credential belongs to the rehearsal "${own}" and reaches no other.`, { rehearsal: own });
  }
  return own;
}

/**
 * The name in the address, for callers that can send no header of their own: a browser that opens a link, a carrier's webhook.
 * @throws Problem unknown_rehearsal for a name that cannot be one
 */
export function rehearsalNamedBy(api: ApiDefinition, request: Pick<Request, 'path' | 'query'>): string | undefined {
  const inPath = namesRehearsal(api) ? request.path.split('/')[api.path.split('/').indexOf('{rehearsal}')] : undefined;
  const inQuery = api.auth === 'signature' ? request.query['rehearsal'] : undefined;
  const name = inPath ?? inQuery;
  if (name === undefined) return undefined;
  if (typeof name === 'string' && REHEARSAL_NAME.test(name)) return name;
  throw new Problem('unknown_rehearsal', 'The address names a rehearsal that cannot be one.');
}

/**
 * The world a request goes to. A known credential that is not bound to a rehearsal creates one by using its name; nobody else does.
 * @throws Problem unknown_rehearsal
 */
export async function enterRehearsal(name: string, caller: Caller | undefined, { resolve, create }: RehearsalAccess): Promise<WorldView> {
  if (caller?.bound) return caller.bound;
  const found = await resolve(name);
  if (found) return found;
  if (!caller) {
    throw new Problem('unknown_rehearsal', `There is no rehearsal "${name}". Send a credential with its name to create it.`, {
      rehearsal: name,
    });
  }
  return create(name);
}
