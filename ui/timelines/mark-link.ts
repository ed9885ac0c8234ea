import { linkHere, withQuery } from '../data/data.ts';

interface Linked {
  readonly what: string;
  readonly id: string;
  readonly trace?: string | undefined;
}

/** The page of a hop in its trace, of an event, or of a move of the clock. Undefined for a hop whose trace is gone. */
export function markLink({ what, id, trace }: Linked): string | undefined {
  if (what === 'event') return linkHere('events', id);
  if (what === 'move') return linkHere('activity', 'clock', id);
  return trace === undefined ? undefined : withQuery(linkHere('activity', trace), { hop: id });
}
