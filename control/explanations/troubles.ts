import { GATEWAY, type Owner } from '../../shared/catalog/applications.ts';
import { type DueMeaning, dueWork } from '../../shared/catalog/due-work.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { instant, type Ms, NEVER } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { Ledger } from '../../shared/store/ports/ledger.ts';
import { withheldEvent } from '../events/withheld.ts';
import type { Reason } from './reasons.ts';
import type { ExplainScope, Subject } from './subject.ts';
import { applicationTitle, clockTime } from './words.ts';

/** The newest events about an object whose deliveries are looked up. */
const MOST_EVENTS = 30;
const DELIVER_WEBHOOK = 'deliver-webhook';

const trouble = (code: Reason['code'], text: string, refs: Reason['refs'], at = NEVER): Reason => ({
  code,
  kind: 'trouble',
  text,
  at: at < NEVER ? instant(at) : undefined,
  refs,
});

const faultRef = (id: string) => ({ what: 'fault', id }) as const;
const dueRef = ({ application, kind, key }: DueItem) => ({ what: 'due', id: dueKey(application, kind, key) }) as const;
const until = (at: Ms, now: Ms): string => (at < NEVER ? `until ${clockTime(at, now)}` : 'until the fault is deleted');

/** The unsent, pending, parked or withheld events, webhooks and due work of an object. */
export async function troublesOf(scope: ExplainScope, subject: Subject, ledger: Ledger): Promise<Reason[]> {
  return [
    ...(await eventTroubles(scope, subject, ledger)),
    ...(await webhookTroubles(scope, subject, ledger)),
    ...workTroubles(scope, subject, ledger),
  ];
}

async function eventTroubles({ worlds, view }: ExplainScope, { subject, version }: Subject, ledger: Ledger): Promise<Reason[]> {
  const { counts, withheld, awaiting } = ledger;
  const held = withheld.flatMap((item) => {
    const event = withheldEvent(item);
    return event?.subject === subject ? [withheldReason(item, event, view.now)] : [];
  });
  const isBusy = counts.unsent + counts.pending + counts.parked + awaiting.length > 0;
  if (!isBusy && held.length === 0) return [];
  const published = await worlds.newestEventsAbout(view.world, { by: 'subject', value: subject }, MOST_EVENTS);
  const works = await Promise.all(
    published.map(async ({ json }) => {
      const event = JSON.parse(json) as EstateEvent;
      return deliveryReasons(event, await worlds.eventWork(view.world, event.id), awaiting);
    }),
  );
  const newest = Math.max(0, ...published.map(({ json }) => (JSON.parse(json) as EstateEvent).aggregateversion));
  const isUnsent = counts.unsent > 0 && newest < version && held.length === 0;
  const unsent = trouble('event-unsent', 'The event of its latest change is not on the bus yet.', []);
  return [...held, ...(isUnsent ? [unsent] : []), ...works.flat()];
}

function withheldReason({ at, withheldBy = '' }: DueItem, { id, type }: EstateEvent, now: number): Reason {
  const text = `The fault ${withheldBy} withholds its event ${nameOf(type)} ${until(at, now)}.`;
  return trouble('event-withheld', text, [{ what: 'event', id, type: nameOf(type) }, faultRef(withheldBy)], at);
}

function deliveryReasons(
  { id, type }: EstateEvent,
  { pending, parked, withheldBy }: Awaited<ReturnType<ExplainScope['worlds']['eventWork']>>,
  awaiting: readonly DueItem[],
): Reason[] {
  const event = { what: 'event', id, type: nameOf(type) } as const;
  const stuck = parked.map(({ application, error }): Reason => {
    const text = `Its event ${nameOf(type)} is parked at the ${applicationTitle(application)}: ${detailIn(error)} Redrive it with redrive-parked.`;
    return trouble('event-parked', text, [event, { what: 'application', id: application }]);
  });
  if (withheldBy !== undefined) return stuck;
  const open = pending.filter((application) => !parked.some((one) => one.application === application));
  return [
    ...stuck,
    ...open.map((application): Reason => {
      const retry = awaiting.find((item) => item.application === application && item.kind === DELIVER_AGAIN && item.key === id);
      const away = retry?.awaits === undefined ? '' : `: it waits for the ${applicationTitle(retry.awaits)}`;
      const text = `Its event ${nameOf(type)} has not reached the ${applicationTitle(application)} yet${away}.`;
      return trouble('event-pending', text, [event, { what: 'application', id: application }]);
    }),
  ];
}

async function webhookTroubles({ webhooks, view }: ExplainScope, { subject }: Subject, { parked, withheld }: Ledger): Promise<Reason[]> {
  const prefix = dueKey(GATEWAY, DELIVER_WEBHOOK, '');
  const keys = [
    ...parked.flatMap(({ key }) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
    ...withheld.filter(({ application, kind }) => application === GATEWAY && kind === DELIVER_WEBHOOK).map(({ key }) => key),
  ];
  const open = await webhooks.open(view, subject, keys);
  return open.flatMap(({ webhook, event, state, withheldBy, nextAttemptAt, attempts }): Reason[] => {
    const receiver = { what: 'webhook', id: webhook } as const;
    const refs = [receiver, { what: 'event', id: event.id, type: event.type } as const];
    const what = `the delivery of its event ${event.type} to the webhook ${webhook}`;
    if (withheldBy !== undefined) {
      const text = `The fault ${withheldBy} withholds ${what}.`;
      return [{ ...trouble('webhook-withheld', text, [...refs, faultRef(withheldBy)]), at: nextAttemptAt }];
    }
    if (state === 'parked') {
      const text = `The delivery of its event ${event.type} to the webhook ${webhook} is parked: its receiver did not accept it in ${attempts.length} attempts.`;
      return [trouble('webhook-parked', text, refs)];
    }
    if (state !== 'waiting') return [];
    const again = nextAttemptAt === undefined ? 'after an earlier event' : `at ${clockTime(nextAttemptAt, view.now)}`;
    const text = `The webhook ${webhook} has not accepted the event ${event.type} yet; the next attempt is ${again}.`;
    return [{ ...trouble('webhook-waiting', text, refs), at: nextAttemptAt }];
  });
}

/** Events and registered webhooks have their own reasons. */
const hasOwnReason = (application: string, kind: string): boolean =>
  kind === DELIVER_AGAIN || kind === PUBLISH_WITHHELD_EVENT || application === GATEWAY;

/** The parked, withheld or retried due work about the object. */
function workTroubles({ view }: ExplainScope, subject: Subject, { parked, withheld, awaiting }: Ledger): Reason[] {
  const stuck = parked.flatMap(({ what, key, error, at }): Reason[] => {
    const [application = '', kind = '', ...rest] = key.split('|');
    if (what !== 'due' || hasOwnReason(application, kind) || !isAbout(subject, { application, kind, key: rest.join('|') })) return [];
    const text = `Parked since ${clockTime(at, view.now)}: the ${applicationTitle(application)} ${doesOf(application, kind)}. ${detailIn(error)} Redrive it with redrive-parked.`;
    return [trouble('work-parked', text, [{ what: 'due', id: key }], at)];
  });
  const held = withheld.filter((item) => !hasOwnReason(item.application, item.kind) && isAbout(subject, item));
  const away = awaiting.filter((item) => !hasOwnReason(item.application, item.kind) && isAbout(subject, item));
  return [
    ...stuck,
    ...held.map((item): Reason => {
      const { application, kind, withheldBy = '', at } = item;
      const text = `The fault ${withheldBy} withholds it ${until(at, view.now)}: the ${applicationTitle(application)} ${doesOf(application, kind)}.`;
      return trouble('work-withheld', text, [dueRef(item), faultRef(withheldBy)], at);
    }),
    ...away.map((item): Reason => {
      const { application, kind, awaits = '', at } = item;
      const text = `The ${applicationTitle(awaits)} cannot be reached, so the ${applicationTitle(application)} tries again at ${clockTime(at, view.now)}, or as soon as it is back: it ${doesOf(application, kind)}.`;
      return trouble('work-awaits-application', text, [dueRef(item), { what: 'application', id: awaits }], at);
    }),
  ];
}

/** The detail of a problem in JSON, as a sentence; any other text as it is. */
function detailIn(error: string): string {
  const json = /\{.*\}/s.exec(error)?.[0];
  try {
    const { detail } = JSON.parse(json ?? '') as { readonly detail?: unknown };
    if (typeof detail === 'string') return /[.!?]$/.test(detail) ? detail : `${detail}.`;
  } catch {
    // It is a text.
  }
  return error;
}

const meaningOf = (application: string, kind: string): DueMeaning | undefined => dueWork[application as Owner]?.[kind];

export const doesOf = (application: string, kind: string): string => meaningOf(application, kind)?.does ?? `runs ${kind}`;

/** Whether due work is about the object: its key is one that the catalog declares, or begins with the id. */
function isAbout(
  { type, id, object }: Subject,
  { application, kind, key }: Pick<DueItem, 'kind' | 'key'> & { readonly application: string },
): boolean {
  const meaning = meaningOf(application, kind);
  if (meaning?.object !== type) return false;
  return key === id || key.startsWith(`${id}.`) || meaning.keys?.(object).includes(key) === true;
}

/** The names of all due work that may exist about the object. */
export const dueNamesOf = ({ type, id, object }: Pick<Subject, 'type' | 'id' | 'object'>): readonly string[] =>
  Object.entries(dueWork).flatMap(([application, kinds]) =>
    Object.entries(kinds).flatMap(([kind, meaning]) =>
      meaning.object === type ? (meaning.keys?.(object) ?? [id]).map((key) => dueKey(application, kind, key)) : [],
    ),
  );
