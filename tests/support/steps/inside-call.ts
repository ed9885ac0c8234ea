import { callOfApi, type Sections } from '../../../rehearsal/estate-client.ts';
import type { ApiId } from '../../../shared/catalog/apis.ts';
import type { Inside } from '../inside.ts';

/** Calls an API by its id, of applications that run without the others. */
export function insideCall(inside: Pick<Inside, 'call'>, id: ApiId, input: Sections = {}) {
  const { method, path, body } = callOfApi(id, input);
  return inside.call(method, path, body);
}
