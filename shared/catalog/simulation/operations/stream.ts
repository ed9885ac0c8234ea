import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { ListedEvent } from './events.ts';
import { Hop } from './journal.ts';
import { Run } from './runs.ts';

export const STREAM_TOPICS = ['hops', 'events', 'clock', 'faults', 'runs'] as const;
export type StreamTopic = (typeof STREAM_TOPICS)[number];

/** The data of each kind of frame. A frame is `event: <kind>` with `id: h<sequence>.e<order>`, the cursor of both logs. */
export const StreamFrames = {
  /** Without bodies; at most 200. */
  hops: z.array(Hop.omit({ request: true, response: true })),
  /** Additional events too; at most 200. */
  events: z.array(ListedEvent),
  clock: z.object({ now: Instant, flowing: z.boolean() }),
  /** The faults changed, or one of them struck: read the list again. */
  faults: z.object({ revision: z.int(), hits: z.int() }),
  runs: z.array(Run.omit({ steps: true, invariants: true })),
  /** Older records are gone, or the rehearsal was reset: read the lists again. */
  gap: z.object({ reason: z.enum(['discarded', 'reset', 'deleted']) }),
} as const;
export type StreamFrame = keyof typeof StreamFrames;

export const readStream = defineOperation({
  id: 'read-stream',
  summary: 'Streams what happens in a rehearsal as server-sent events. Last-Event-ID resumes.',
  method: 'GET',
  path: '/_sim/stream',
  query: z.strictObject({
    topics: z
      .string()
      .max(80)
      .optional()
      .describe(`Comma-separated: ${STREAM_TOPICS.join(', ')}. Default: all.`),
    from: z
      .string()
      .regex(/^h\d{1,16}\.e\d{1,16}$/)
      .optional()
      .describe('Cursor to resume from, like Last-Event-ID. Default: now.'),
  }),
  response: z.string().meta({ description: 'text/event-stream' }),
  problems: ['unknown_rehearsal'],
});
