import type { JournalRecord } from '../../shared/control/journal.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';

/** What leads from an object to its hops. */
interface Sought {
  /** Ids and numbers of the objects. */
  readonly names: ReadonlySet<string>;
  /** Request ids of the hops that published their events. */
  readonly publishers: ReadonlySet<string>;
}

/**
 * The hops that concern some objects, with everything that caused them or that they caused: those that published an event about one of the objects,
 * and those whose path or request names one. A refused request has no event, so only its text leads to it. A correlation id does not lead to hops,
 * because a client may use one for thousands of requests.
 */
export async function objectHops(
  hops: readonly JournalRecord[],
  { names, publishers }: Sought,
  breathe: Breathe,
): Promise<readonly JournalRecord[]> {
  const parents = new Map<string, string | undefined>();
  for await (const { requestId, parentId } of breathing(hops, breathe)) parents.set(requestId, parentId);
  const roots = new Map<string, string>();
  const concerned = new Set<string>();
  for await (const hop of breathing(hops, breathe)) {
    if (publishers.has(hop.requestId) || namesOne(hop.path, names) || namesOne(hop.request, names)) {
      concerned.add(rootOf(hop.requestId, parents, roots));
    }
  }
  const chosen: JournalRecord[] = [];
  for await (const hop of breathing(hops, breathe)) if (concerned.has(rootOf(hop.requestId, parents, roots))) chosen.push(hop);
  return chosen;
}

/** The request that began everything, as far as the journal names it. @param roots what was found before, by request id */
function rootOf(id: string, parents: ReadonlyMap<string, string | undefined>, roots: Map<string, string>): string {
  const way: string[] = [];
  const seen = new Set<string>();
  let at = id;
  for (let next = roots.get(at) ?? parents.get(at); next !== undefined && !seen.has(at); next = roots.get(at) ?? parents.get(at)) {
    seen.add(at);
    way.push(at);
    if (at === next) break;
    at = next;
  }
  for (const one of way) roots.set(one, at);
  return at;
}

const WORD = /[\w.-]+/g;

/** Whether a text, or a text in a body, has one of the names as a word. A journal record bounds both. */
function namesOne(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return value.match(WORD)?.some((word) => names.has(word)) ?? false;
  return typeof value === 'object' && value !== null && Object.values(value).some((member) => namesOne(member, names));
}
