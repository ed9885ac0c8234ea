import type { z } from 'zod';
import { isSignedApi } from '../../shared/catalog/apis.ts';
import { GATEWAY } from '../../shared/catalog/applications.ts';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { PlayStep, readPlay } from '../../shared/catalog/control/operations/plays.ts';
import { type JournalRecord, WEBHOOK } from '../../shared/control/journal.ts';
import { CLIENT } from '../../shared/control/sequence.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import { applicationTitle, callTitle, clockTime, objectName } from '../explanations/words.ts';
import { type Happening, readTimeline } from '../journal/timeline.ts';
import type { Published } from '../objects/list.ts';
import type { OperationScope } from '../operate.ts';
import { markOf } from './marks.ts';
import { exchangeSentence } from './sentences.ts';
import { type Asked, byClock, historyOf } from './timeline-of.ts';

type Play = ControlOutput<typeof readPlay>;
type Step = z.output<typeof PlayStep>;
type PlayScope = Pick<OperationScope, 'worlds' | 'objects' | 'view'>;

/** The story of an object and of the objects that belong to it. */
export async function playOf(scope: PlayScope, { type, found, limit }: Asked, breathe: Breathe): Promise<Play> {
  const { itself, happenings, before, traces, truncated } = await historyOf(scope, { type, found }, breathe);
  const { now } = scope.view;
  const told = await stepsOf(happenings, { before, traces, now, limit }, breathe);
  return { name: objectName(itself.type, itself.id, itself.label), now: instant(now), ...told, truncated };
}

/** The story of a whole rehearsal. */
export async function playOfWorld({ worlds, view }: PlayScope, limit: number, breathe: Breathe): Promise<Play> {
  const { world, now, rehearsal } = view;
  const read = await readTimeline(worlds, world, undefined, breathe);
  const happenings = await byClock(read.happenings, breathe);
  const before = new Map<string, Published>();
  const traces = new Set<string>();
  const newest = new Map<string, Published>();
  for await (const { event, hop } of breathing(happenings, breathe)) {
    if (hop) traces.add(hop.correlationId);
    if (!event) continue;
    const known = newest.get(event.subject);
    if (known) before.set(event.id, known);
    newest.set(event.subject, event.data.object);
  }
  const told = await stepsOf(happenings, { before, traces, now, limit }, breathe);
  return { name: `rehearsal ${rehearsal}`, now: instant(now), ...told, truncated: read.truncated };
}

interface Known {
  readonly before: ReadonlyMap<string, Published>;
  readonly traces: ReadonlySet<string>;
  readonly now: Ms;
  readonly limit: number;
}

/** Changes that the picture of an exchange has room for. */
const MOST_CHANGES = 6;

/** Each exchange with what it changed. An event whose publisher is gone is a separate exchange. */
async function stepsOf(
  happenings: readonly Happening[],
  { before, traces, now, limit }: Known,
  breathe: Breathe,
): Promise<Pick<Play, 'steps' | 'omitted'>> {
  const hops = new Set<string>();
  for await (const { hop } of breathing(happenings, breathe)) if (hop) hops.add(hop.requestId);
  const steps: (Step & { readonly changes: string[] })[] = [];
  const places = new Map<string, Step & { readonly changes: string[] }>();
  let omitted = 0;
  for await (const happening of breathing(happenings, breathe)) {
    const { event, hop, publisher, entry } = happening;
    const mark = markOf(happening, before.get(entry.id), now);
    if (event && publisher !== undefined && hops.has(publisher)) {
      const changes = places.get(publisher)?.changes;
      if (changes && mark.kind !== 'event' && changes.length < MOST_CHANGES && !changes.includes(mark.words)) changes.push(mark.words);
      continue;
    }
    if (steps.length === limit) {
      omitted += 1;
      continue;
    }
    const { at, id, correlationId } = entry;
    const { application, outcome, what } = mark;
    const step: Step = {
      at,
      outcome,
      what,
      id,
      changes: event && mark.kind !== 'event' ? [mark.words] : [],
      trace: correlationId !== undefined && traces.has(correlationId) ? correlationId : undefined,
      ...(hop
        ? exchangeOf(hop, happening.from ?? hop.application)
        : {
            kind: event ? 'event' : 'clock',
            from: application,
            to: application,
            title: event ? callTitle(event.type) : 'Clock',
            sentence: event
              ? `The ${applicationTitle(application)} publishes ${callTitle(event.type)}.`
              : `The clock moves to ${clockTime(at, now)}.`,
          }),
    };
    steps.push(step);
    if (hop) places.set(hop.requestId, step);
  }
  return { steps: steps.map((step) => (step.isQuiet && step.changes.length > 0 ? { ...step, isQuiet: undefined } : step)), omitted };
}

/** An exchange that only reads, or that changed nothing, unless its events prove the contrary. */
const isQuiet = ({ method, unchanged, status, faults }: JournalRecord): boolean =>
  (method === 'GET' || unchanged !== undefined) && status > 0 && status < 400 && faults.length === 0;

/** Characters of a body that stand beside the map. */
const BODY_START = 400;

function exchangeOf(hop: JournalRecord, from: string): Omit<Step, 'at' | 'outcome' | 'what' | 'id' | 'changes' | 'trace'> {
  const { api, application, status, method, path, faults, outside, request, response } = hop;
  const isReceiver = api.startsWith(WEBHOOK);
  const isOwn = api.startsWith('event:') || api.startsWith('due:');
  return {
    kind: isReceiver || isSignedApi(api) ? 'webhook' : api.startsWith('event:') ? 'event' : api.startsWith('due:') ? 'timer' : 'call',
    from: isReceiver && from === CLIENT ? GATEWAY : from,
    to: isReceiver ? CLIENT : application,
    title: api.startsWith('due:')
      ? `Timer ${api.slice('due:'.length)}`
      : isReceiver
        ? `Webhook ${api.slice(WEBHOOK.length)}`
        : callTitle(api.replace(/^(?:event|due):/, '')),
    sentence: exchangeSentence(hop, from),
    status: isOwn && status > 0 && status < 400 ? undefined : status,
    address: isOwn ? undefined : `${method} ${path}`.slice(0, 200),
    faults: faults.length > 0 ? faults.slice(0, 10) : undefined,
    isQuiet: isQuiet(hop) ? true : undefined,
    isReal: outside ? true : undefined,
    request: startOf(request),
    response: startOf(response),
  };
}

/** A body was redacted and bounded when it was recorded. */
function startOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  const text = JSON.stringify(body, null, 1).replaceAll(/\n\s*/g, ' ');
  return text.length > BODY_START ? `${text.slice(0, BODY_START)}…` : text;
}
