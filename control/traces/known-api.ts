import { apis } from '../../shared/catalog/apis.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { invalid } from '../../shared/catalog/problems.ts';

/** Kinds of due work are private, so any kind is accepted. @throws Problem validation_failed when no hop can be of this API */
export function requireKnownApi(api: string): void {
  const ids: readonly string[] = [...Object.values(apis), ...Object.values(internalCalls)].map(({ id }) => id);
  if (ids.includes(api) || api.startsWith('due:') || allEvents.some(({ name }) => api === `event:${name}`)) return;
  throw invalid(
    '?api',
    'unknown_api',
    `No hop is of "${api}"; there are ${ids.join(', ')}, and event:<name> and due:<kind> for deliveries and due work.`,
  );
}
