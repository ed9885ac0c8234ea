import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../../shared/catalog/problems.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME } from '../../shared/domain/ids.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import type { Exchange } from '../facts.ts';
import type { Authenticated } from './authenticate.ts';
import type { NamedInAddress } from './rehearsal-in-address.ts';

export interface WithRehearsalHeader {
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
  throw new Problem('forbidden', `The credential belongs to the rehearsal "${bound}" and reaches no other.`, { rehearsal: bound });
}
