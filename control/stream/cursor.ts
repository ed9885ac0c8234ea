import { STREAM_CURSOR, STREAM_TOPICS, type StreamTopic } from '../../shared/catalog/control/operations/stream.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { asText, shortened } from '../../shared/domain/text.ts';
import { idOf, type World } from '../../shared/domain/world.ts';

/** The position of a stream in a world: the last hop and the last event that were sent. */
export interface Place {
  readonly world: World;
  readonly hops: number;
  readonly events: number;
}

/** A place as a client sends it; the world may be left out. */
export interface Cursor {
  readonly worldId: string | undefined;
  readonly hops: number;
  readonly events: number;
}

export const cursorOf = ({ world, hops, events }: Place): string => `h${hops}.e${events}.w${idOf(world)}`;

/** @param where the parameter or header @throws Problem validation_failed for the parameter, malformed_request for the header */
export function parseCursor(where: '?from' | 'Last-Event-ID', text: string): Cursor {
  const found = STREAM_CURSOR.exec(text);
  const [, hops, events, worldId] = found ?? [];
  const cursor = { worldId, hops: Number(hops), events: Number(events) };
  if (found && Number.isSafeInteger(cursor.hops) && Number.isSafeInteger(cursor.events)) return cursor;
  const detail = `"${shown(text)}" is not a cursor. Send the id of a frame, such as h118.e42, or nothing to begin now.`;
  if (where === '?from') throw invalid(where, 'invalid_cursor', detail);
  throw new Problem('malformed_request', detail, { errors: [{ pointer: where, code: 'invalid_cursor', detail }] });
}

/** @throws Problem validation_failed */
export function parseTopics(text: string | undefined): ReadonlySet<StreamTopic> {
  if (text === undefined) return new Set(STREAM_TOPICS);
  const topics = text.split(',').map((name) => {
    const topic = STREAM_TOPICS.find((known) => known === name);
    if (topic) return topic;
    throw invalid(
      '?topics',
      'unknown_topic',
      `There is no topic "${shown(name)}"; choose from ${STREAM_TOPICS.join(', ')}, separated by commas.`,
    );
  });
  return new Set(topics);
}

const LONGEST_SHOWN = 80;
const shown = (text: string): string => shortened(asText(text), LONGEST_SHOWN);
