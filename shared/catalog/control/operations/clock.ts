import { z } from 'zod';
import { KEPT_MOVES, KEPT_TIMERS } from '../../limits.ts';
import { AnyInstant, exactlyOne, Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { Parked, TimeoutMs, Unseen, WaitingFor, Withheld } from './events.ts';

const Ran = z.object({ application: z.string(), kind: z.string(), key: z.string(), at: Instant });

export const readClock = defineOperation({
  id: 'read-clock',
  summary: 'Reads the clock of the rehearsal.',
  path: '/_control/clock',
  response: z.object({ now: Instant, flowing: z.boolean().describe('false freezes the clock.') }),
});

export const setClock = defineOperation({
  id: 'set-clock',
  summary: 'Starts or freezes the clock. A flowing clock runs at the pace of the wall clock.',
  method: 'PUT',
  path: '/_control/clock',
  request: z.strictObject({ flowing: z.boolean() }),
  response: z.object({ now: Instant, flowing: z.boolean() }),
  problems: ['clock_busy'],
});

export const advanceClock = defineOperation({
  id: 'advance-clock',
  summary: 'Advances the clock and runs the work that falls due on the way, in order. Answers when the rehearsal is settled.',
  method: 'POST',
  path: '/_control/clock/advance',
  request: exactlyOne(
    z.strictObject({
      by: z.string().max(64).optional().meta({
        format: 'duration',
        description: 'ISO 8601 duration in weeks, days, hours, minutes and seconds: PT15M, P2D. At most 10 years.',
      }),
      to: AnyInstant.optional().describe('An instant, not before now, at most 10 years ahead and not after the year 9998.'),
      timeoutMs: TimeoutMs.default(60_000).describe(
        'Wall time limit of the whole advance. When it is reached, the answer has the finished work, the clock, and the work that the advance waits for. Running work continues, and only the journal records it.',
      ),
    }),
    ['by', 'to'],
  ),
  response: z.object({
    now: Instant,
    ran: z
      .array(Ran)
      .describe('Due work that ended. Failed work is retried on the clock and finally parked; the journal has each attempt.'),
    settled: z.boolean(),
    waitingFor: WaitingFor,
    unseen: Unseen,
    move: z.int().optional().describe('Number of the move in the list of clock moves. Absent when nothing moved and nothing ran.'),
  }),
  problems: ['clock_busy'],
});

export const listClockMoves = defineOperation({
  id: 'list-clock-moves',
  summary: `Lists what the advances of the clock did, newest first. A rehearsal keeps its newest ${KEPT_MOVES}.`,
  method: 'GET',
  path: '/_control/clock/moves',
  query: z.strictObject({
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, KEPT_MOVES).default(50).describe('Maximum number of moves in an answer.'),
  }),
  response: z.object({
    items: z.array(
      z.object({
        number: z.int().min(1).describe('Counts the moves of the rehearsal.'),
        from: Instant,
        to: Instant,
        movedAt: Instant.describe('Wall time.'),
        after: z.int().describe('Sequence of the newest hop when the advance began: later traces have a greater one.'),
        ran: z.int().describe('Number of the timers that ran.'),
        timers: z
          .array(Ran.extend({ correlationId: z.string(), requestId: z.string().describe('Its hop in the journal.') }))
          .describe(`The first timers that ran, at most ${KEPT_TIMERS}.`),
      }),
    ),
    next: z.int().optional().describe('Value of `before` for the next page. Absent when there are no older moves.'),
  }),
});

export const settle = defineOperation({
  id: 'settle',
  summary: 'Waits until all events are sent and delivered and all due work has run. Does not wait for running requests of clients.',
  method: 'POST',
  path: '/_control/settle',
  request: z.strictObject({ timeoutMs: TimeoutMs }),
  response: z.object({
    settled: z.boolean(),
    waitingFor: WaitingFor,
    unseen: Unseen,
    parked: z
      .array(Parked)
      .describe(
        'Work that was refused too often, or whose application was down for a week. It can be redriven. Work that waited for an application resumes when the application is back.',
      ),
    withheld: z.array(Withheld).describe('Events and webhooks that faults withhold. Deleting a fault releases them.'),
  }),
});

export const clockOperations = [readClock, setClock, advanceClock, listClockMoves, settle] as const;
