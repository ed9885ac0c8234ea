import { dueWork } from '../../shared/catalog/due-work.ts';
import { paymentsOf } from '../../shared/catalog/nearby.ts';
import type { BusinessObject } from '../../shared/catalog/objects.ts';
import { isLost, requiredFor } from '../../shared/catalog/payment/cover.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { type DueItem, dueKey } from '../../shared/store/ports/due-work.ts';
import type { Reason } from './reasons.ts';
import type { ExplainScope, Subject } from './subject.ts';
import { doesOf, dueNamesOf } from './troubles.ts';
import { applicationTitle, clockTime } from './words.ts';

/** The scheduled work about the object, first due first. */
export async function timersOf({ worlds, view }: ExplainScope, subject: Subject): Promise<Reason[]> {
  const items = await worlds.scheduled(view.world, dueNamesOf(subject));
  // Troubles name work that a fault withholds, or that waits for an application.
  const timers = items.filter((item) => item.awaits === undefined && item.withheldBy === undefined && !isMoot(item, subject));
  return timers.toSorted((one, other) => one.at - other.at).flatMap((item) => timerOf(item, view.now));
}

/** The check of a lost authorisation runs in any case, but cancels only a confirmed order that is not paid again. */
function isMoot({ kind }: DueItem, { state, object, near }: Subject): boolean {
  if (kind !== 'give-up-uncovered') return false;
  const order = object as unknown as BusinessObject<'order'>;
  return state !== 'confirmed' || !isLost(requiredFor(order), paymentsOf(order.id, near));
}

function timerOf(item: DueItem, now: Ms): Reason[] {
  const { application, kind, key, at, attempts } = item;
  const role = dueWork[application]?.[kind]?.role ?? 'repair';
  const what = `the ${applicationTitle(application)} ${doesOf(application, kind)}`;
  const about = { at: instant(at), refs: [{ what: 'due' as const, id: dueKey(application, kind, key) }] };
  if (attempts > 0) {
    const text = `After ${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'}, at ${clockTime(at, now)} ${what}.`;
    return [{ code: 'work-retrying', kind: 'trouble', text, ...about }];
  }
  if (role === 'deadline') return [{ code: 'deadline', kind: 'wait', text: `At ${clockTime(at, now)} ${what}.`, ...about }];
  if (role === 'step') return [{ code: 'next-step', kind: 'wait', text: `At ${clockTime(at, now)} ${what}.`, ...about }];
  // A repair in the future guards a request that usually ends first.
  return at > now ? [] : [{ code: 'work-under-way', kind: 'wait', text: `Now ${what}.`, ...about }];
}
