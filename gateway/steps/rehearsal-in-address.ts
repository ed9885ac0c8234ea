import { namesRehearsal } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { parsePart } from '../../shared/contract/validation.ts';
import { REHEARSAL_NAME } from '../../shared/domain/ids.ts';
import type { ForApi } from './find-target.ts';

export interface NamedInAddress {
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
  if (named !== undefined) parsePart(api.query, { rehearsal: others.length === 0 ? named : [named, ...others] }, 'query');
  return { named };
}
