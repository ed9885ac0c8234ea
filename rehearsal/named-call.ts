import { apis } from '../shared/catalog/apis.ts';
import { controlOperations } from '../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { unknownWord } from '../shared/domain/nearest-word.ts';
import { fillPath, queryString } from '../shared/transport/path.ts';
import type { CalledId, StreamId } from './call-types.ts';

/** The sections of a call's input. */
export interface Sections {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PlainCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly how: { readonly headers: Readonly<Record<string, string>>; readonly as: 'bearer' | 'api-key' | 'none' };
}

/** The call of an API by its id, as the catalog declares it. @throws TypeError for an unknown API */
export function callOfApi(id: string, { body, headers = {}, ...sections }: Sections = {}): PlainCall {
  const { method, path, auth } = requireApi(id);
  return {
    method,
    path: filledPath(path, sections),
    body: method === 'GET' ? undefined : (body ?? {}),
    how: { headers, as: auth === 'signature' ? 'none' : auth },
  };
}

/** A path of the catalog with its parameters filled in and the query appended. */
export const filledPath = (path: string, { params = {}, query }: Sections): string => `${fillPath(path, params)}${queryString(query)}`;

function requireApi(id: string): ApiDefinition {
  const all: Readonly<Record<string, ApiDefinition>> = apis;
  const api = Object.hasOwn(all, id) ? all[id] : undefined;
  if (api !== undefined) return api;
  throw new TypeError(unknownWord('API', String(id), Object.keys(all), 'docs/reference/apis.md'));
}

/** The operation of an id. @throws TypeError for an unknown id, from callers without types */
export function requireOperation<Id extends CalledId | StreamId>(id: Id): (typeof controlOperations)[Id] {
  if (Object.hasOwn(controlOperations, id)) return controlOperations[id];
  throw new TypeError(unknownWord('operation', String(id), Object.keys(controlOperations), 'docs/reference/control-plane.md'));
}
