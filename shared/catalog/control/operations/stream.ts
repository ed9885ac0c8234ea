import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { defineStream } from '../define-operation.ts';
import { ListedEvent } from './events.ts';
import { Hop } from './journal.ts';
import { Run } from './runs.ts';

export const STREAM_TOPICS = ['hops', 'events', 'clock', 'faults', 'runs'] as const;
export type StreamTopic = (typeof STREAM_TOPICS)[number];

/** Positions in the journal and on the bus of a world. Default: the current world. */
export const STREAM_CURSOR = /^h(\d{1,16})\.e(\d{1,16})(?:\.w([0-9A-Z]{26}))?$/;

/** The data of each kind of frame. A frame is `event: <kind>` with `id: h<sequence>.e<order>.w<world>`, the cursor of both logs. */
export const StreamFrames = {
  /** Without bodies; at most 200. */
  hops: z.array(Hop.omit({ request: true, response: true })),
  /** Additional events too; at most 200. */
  events: z.array(ListedEvent),
  /** The clock was set, started or frozen, or a move was recorded. `moves` counts them. A flowing clock continues with wall time. */
  clock: z.object({ now: Instant, flowing: z.boolean(), moves: z.int() }),
  /** The faults changed, or a fault struck: read the list again. */
  faults: z.object({ revision: z.int(), hits: z.int() }),
  /** A run or one of its steps changed. The frame has the list of all runs; a bound credential gets the runs in its world, and a frame when one of them has changed. */
  runs: z.array(Run.omit({ steps: true, invariants: true })),
  /** Records are missing because older ones were discarded or the rehearsal was reset: read again. After `deleted` the stream ends. */
  gap: z.object({ reason: z.enum(['discarded', 'reset', 'deleted']) }),
} as const;
export type StreamFrame = keyof typeof StreamFrames;

export const readStream = defineStream({
  id: 'read-stream',
  summary:
    'Streams the changes of a rehearsal as server-sent events. Begins with the current clock, faults and runs; changes follow. Last-Event-ID resumes exactly, at any gateway. The frame gap reports missing records: older hops were discarded, or the rehearsal was reset or deleted. Then read the journal and the events again. An open stream counts as use of the rehearsal for at most eight hours.',
  path: '/_control/stream',
  query: z.strictObject({
    topics: z
      .string()
      .optional()
      .meta({
        pattern: `^(?:${STREAM_TOPICS.join('|')})(?:,(?:${STREAM_TOPICS.join('|')}))*$`,
        description: `Comma-separated: ${STREAM_TOPICS.join(', ')}. Default: all.`,
      }),
    from: z.string().optional().meta({
      pattern: STREAM_CURSOR.source,
      description: 'Id of the last frame received. Last-Event-ID takes precedence. Default: now.',
    }),
  }),
  frames: StreamFrames,
  problems: ['unknown_rehearsal', 'too_many_streams'],
});

export const streamOperations = [readStream] as const;
