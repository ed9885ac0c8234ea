import { EVENT_CONTENT_TYPE, nameOf } from '../../catalog/event-names.ts';
import { Problem } from '../../catalog/problems.ts';
import { digest } from '../../domain/ids.ts';
import { inOneLine } from '../../domain/printable.ts';
import { redactedStart } from '../../domain/redaction.ts';
import { instant } from '../../domain/time.ts';
import { rehearsalOf } from '../../domain/world.ts';
import { type EventHandler, unchanged } from '../../work/handler.ts';
import type { Delivery, JournalNotes } from '../../work/job.ts';
import type { ElsewhereParts } from '../parts.ts';
import { MARGIN_MS, NoReply } from './outside-call.ts';
import { outsideJsonIn } from './read-answer.ts';
import type { StoredSwap } from './stored-swap.ts';
import { type LoggedAnswer, logAnswer } from './swap-log.ts';

export const isAccepted = (status: number): boolean => status >= 200 && status < 300;

/** The violation of a real system that refuses an event. Undefined: it accepted the event. */
export const refusedEvent = (api: string, status: number): LoggedAnswer['violation'] =>
  isAccepted(status) ? undefined : { name: 'event_refused', detail: `It answered ${status} to ${api} at /events.` };

/** Statuses after which the same event may be accepted later. */
const mayBeAccepted = (status: number): boolean => status >= 500 || [401, 403, 408, 425, 429].includes(status);

/** Characters of a foreign text in a reason. */
const TEXT_CHARACTERS = 200;

/** The words of a refusal: the detail of a problem, or the start of a text. */
function wordsIn(text: string): string {
  const { detail } = (outsideJsonIn(text) ?? {}) as { readonly detail?: unknown };
  return inOneLine(redactedStart(typeof detail === 'string' ? detail : text), TEXT_CHARACTERS);
}

/** An event, as a real system receives it. */
export const eventRequestOf = ({ event, context }: Pick<Delivery, 'event' | 'context'>) => ({
  method: 'POST' as const,
  path: '/events',
  headers: {
    'content-type': EVENT_CONTENT_TYPE,
    'x-rehearsal': rehearsalOf(context.world),
    'x-rehearsal-now': instant(context.now),
    'x-correlation-id': event.correlationid,
    traceparent: context.traceparent,
    // With a seed, ids repeat in the next world.
    'idempotency-key': digest(context.world, event.id),
  },
  body: JSON.stringify(event),
});

/**
 * The handler of an event of a swapped application: its real system gets the event as a CloudEvent. The delivery is repeated until the
 * answer is 2xx. After a refusal that a repeat would not change, it is parked.
 */
export function postEvent(parts: ElsewhereParts, swap: StoredSwap, notes: JournalNotes): EventHandler {
  const { application, callOutside } = parts;
  return async (event, { context }) => {
    if (swap.events === 'none' || swap.mode === 'kept') return unchanged('The real system does not take events from the estate.');
    const api = `event:${nameOf(event.type)}`;
    const failed = (detail: string): Problem =>
      new Problem('dependency_unavailable', `The real ${application} did not accept the event: ${detail}.`, {
        dependency: application,
        outside: true,
      });
    try {
      const { status, durationMs, body } = await callOutside(context.world, swap, {
        ...eventRequestOf({ event, context }),
        withinMs: context.deadline - Date.now() - MARGIN_MS,
      });
      const violation = refusedEvent(api, status);
      notes.outside = { status, durationMs, violation: violation?.name };
      await logAnswer(parts, context, { api, status, durationMs, violation });
      if (isAccepted(status)) return undefined;
      if (mayBeAccepted(status)) throw failed(`it answered ${status}`);
      const words = wordsIn(body.toString());
      const answered = `The real ${application} answered ${status} to ${api} at /events${words === '' ? '' : `: ${words}`}`;
      throw new Error(`${answered.replace(/[.!]$/, '')}. If it takes none, set events to none in its swap.`);
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      const violation = error.why === 'busy' ? undefined : { name: error.why, detail: error.message };
      notes.outside = { status: 0, durationMs: error.durationMs, violation: violation?.name };
      if (violation) await logAnswer(parts, context, { api, status: 0, durationMs: error.durationMs, violation });
      throw failed(error.message);
    }
  };
}
