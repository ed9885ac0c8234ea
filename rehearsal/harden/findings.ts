import type { Cell, Difference, Family, Finding, Verdict } from './run.ts';
import { isFailing } from './run.ts';
import { type Hop, ordinal, outsideCalls, type PlannedSite } from './sites.ts';
import type { Story } from './verdict.ts';

/** What a paragraph is written from. */
export interface Told {
  readonly cell: Cell;
  /** Each misfortune with its site: two of a pair. */
  readonly causes: readonly { readonly cell: Cell; readonly site: PlannedSite }[];
  readonly site: PlannedSite;
  /** Undefined: the command was stopped. */
  readonly exitCode: Story['exitCode'];
  /** How it ended, as a sentence; undefined if the exit code shows it. */
  readonly ending?: string;
  /** The journal of the try. */
  readonly journal: readonly Hop[];
  /** Request ids of the struck hops. */
  readonly struck: ReadonlySet<string>;
}

const SHOWN_DIFFERENCES = 3;

/** What happened, in a few sentences. */
export function paragraphOf({ cell, causes, site, exitCode, ending, journal, struck }: Told): string {
  const end = ending ?? (exitCode === undefined ? 'The command did not end.' : `The command ended with exit code ${exitCode}.`);
  // Its reason has the exit code already.
  const isTold =
    ending === undefined && exitCode !== undefined && exitCode !== 0 && cell.reason?.includes(` exit code ${exitCode}`) === true;
  return [
    ...causes.map((one) => causeOf(one.cell, one.site)),
    ...reactionOf(cell, site, journal, struck),
    ...(isTold ? [] : [end]),
    ...consequencesOf(cell),
  ].join(' ');
}

function causeOf({ misfortune, label, family }: Cell, site: PlannedSite): string {
  const what = subjectOf(site);
  if (site.kind === 'start') return label;
  if (misfortune === 'lost-half') return `${what} was carried out, and the connection broke after half of its answer.`;
  if (family === 'lost-answers') return `${what} was carried out, and its answer was lost.`;
  if (family === 'absent') return `${what} was not carried out: ${lower(label)}`;
  if (misfortune === 'twice') return `${what} arrived twice.`;
  if (misfortune === 'reorder') return `${what} arrived after its successor.`;
  if (family === 'forged') return `${what} was forged: ${lower(label.replace(' The receiver must refuse it.', ''))}`;
  return `${what}: ${lower(label)}`;
}

/** `Confirm Order`, `The 2nd call of Get Order`, `The event order-created to the webhook copy` */
function subjectOf(site: PlannedSite): string {
  if (site.kind === 'call') return site.place === 1 && site.isLast ? site.api.name : `The ${ordinal(site.place)} call of ${site.api.name}`;
  if (site.kind === 'start') return site.label;
  const place = site.place === 1 && site.isLast ? 'event' : ordinal(site.place);
  return `The ${place} ${site.event} to the webhook ${site.webhook}`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function reactionOf(
  { family, misfortune }: Cell,
  site: PlannedSite,
  journal: readonly Hop[],
  struck: ReadonlySet<string>,
): readonly string[] {
  if (family === 'forged') {
    const hop = journal.find(({ requestId }) => struck.has(requestId));
    return hop === undefined ? [] : [`Your receiver answered ${hop.status}.`];
  }
  if (site.kind !== 'call' || !['lost-answers', 'absent', 'credentials'].includes(family)) return [];
  const calls = outsideCalls(journal);
  const hit = calls.find(({ requestId }) => struck.has(requestId));
  if (hit === undefined) return [];
  const again = calls.slice(calls.indexOf(hit) + 1).find((hop) => hop.api === hit.api && isAlike(hop, hit));
  if (again === undefined && misfortune === FINAL)
    return ['This refusal is final (retryable: false), and your client did not send the call again.'];
  if (again === undefined) return ['Your client did not send it again.'];
  const seconds = Math.max(0, Date.parse(again.startedAt) - Date.parse(hit.startedAt)) / 1_000;
  const [key, other] = [hit, again].map(({ headers }) => headers?.['idempotency-key']);
  const how =
    hit.method === 'GET'
      ? ''
      : other === undefined
        ? ' without an Idempotency-Key'
        : key === other
          ? ' with the same Idempotency-Key'
          : ' with another Idempotency-Key';
  return [`Your client sent it again after ${seconds.toFixed(1)} s${how}.`];
}

/** A misfortune that a client reports, because a repeat would be refused too. */
const FINAL = 'status-500';

const ID = /_[0-9A-HJKMNP-TV-Z]{26}/g;

/** A client that begins again sends the same call about another object. */
const isAlike = (one: Hop, other: Hop): boolean => one.path.replaceAll(ID, '') === other.path.replaceAll(ID, '');

function consequencesOf({ reason = '', differences = [], verdict }: Cell): readonly string[] {
  const listed = differences.slice(0, SHOWN_DIFFERENCES).map(inWords);
  const more = differences.length - listed.length;
  const list = listed.length === 0 ? [] : [`${capital(listed.join('; '))}${more > 0 ? `; and ${more} more` : ''}.`];
  return verdict === 'stuck' || verdict === 'unstable' ? list : [reason, ...list];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const inWords = ({ what, baseline, tried }: Difference): string => `${what}: ${tried} in place of ${baseline}`;

const SAME_KEY =
  'Send the repeat of a call with the Idempotency-Key of its first try, and keep the key until an answer has come. Begin no new order after an error whose outcome is unknown.';

const REMEDIES: Readonly<Record<Family, Partial<Record<Verdict, string>> & { readonly otherwise: string }>> = {
  'lost-answers': {
    twice: SAME_KEY,
    half: 'A missing answer is not a refusal: repeat the call with the same Idempotency-Key, or read the object, before you report an error.',
    otherwise: 'Repeat a call without an answer with the same Idempotency-Key, and decide after its answer.',
  },
  absent: {
    twice: SAME_KEY,
    silent: 'Read the status of each answer. Repeat the call, or end with an error.',
    half: 'Repeat a call whose refusal has retryable: true, such as 429 or 503. After a final refusal, such as 500, cancel what the story has begun before you report the error.',
    otherwise: 'Treat a refusal as unknown, not as an empty answer: repeat the call, or keep the last known value.',
  },
  delivery: {
    otherwise:
      'Events arrive at least once and in any order. Remember each webhook-id, and compare the version of the object before you replace your copy.',
  },
  forged: {
    otherwise:
      'Check the signature and the timestamp of each webhook before you read its body, and answer 401 if one is wrong. Libraries of Standard Webhooks do both.',
  },
  credentials: { twice: SAME_KEY, otherwise: 'Fetch a new access token after 401, and repeat the call.' },
  permitted: {
    twice: SAME_KEY,
    otherwise:
      'Providers may make this change in a minor release. Ignore what is unknown, follow nextCursor, and parse times with their offset.',
  },
  forbidden: {
    twice: SAME_KEY,
    otherwise: 'Validate an answer before you rely on it: its content type, its schema, and amounts against those that you have already.',
  },
  calendar: { otherwise: 'Take the date of the business from the object or from the start of the work, not from the clock at its end.' },
};

const STUCK = 'Give each call and each wait a time limit.';
const UNSTABLE = 'Repeat the cell. If it stays unstable, look for shared state or for waits that depend on the speed of the machine.';

export const remedyOf = ({ family, verdict = 'survived' }: Cell): string =>
  verdict === 'stuck' ? STUCK : verdict === 'unstable' ? UNSTABLE : (REMEDIES[family][verdict] ?? REMEDIES[family].otherwise);

/** What cells of one cause share. */
export const causeKeyOf = ({ site, family, verdict, differences = [] }: Cell): string =>
  JSON.stringify([site, family, verdict, differences.map(({ what, tried }) => [what, tried])]);

/** Cells that fail or are unstable, grouped by cause, the gravest first. */
export function groupsOf(cells: readonly Cell[], severity: readonly Verdict[]): readonly (readonly [Cell, ...Cell[]])[] {
  const groups = new Map<string, [Cell, ...Cell[]]>();
  for (const cell of cells) {
    if (cell.verdict === undefined || !(isFailing(cell.verdict) || cell.verdict === 'unstable')) continue;
    const key = causeKeyOf(cell);
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  const rank = ([{ verdict }]: readonly [Cell, ...Cell[]]): number => severity.indexOf(verdict as Verdict);
  return [...groups.values()].toSorted((one, other) => rank(one) - rank(other));
}

/** Whether an accepted run has a finding: same site, verdict, and a misfortune of it. */
export function isAccepted(
  finding: Pick<Finding, 'site' | 'verdict' | 'cells'>,
  cells: readonly Cell[],
  accepted: { readonly findings: readonly Finding[]; readonly cells: readonly Cell[] },
): boolean {
  // A file may have 20,000 findings and cells, so that a search within a search would take hours.
  const misfortunesIn = (all: readonly Cell[]): ((ids: readonly string[]) => ReadonlySet<string | undefined>) => {
    const byId = new Map(all.map(({ id, misfortune }) => [id, misfortune]));
    return (ids) => new Set(ids.map((id) => byId.get(id)));
  };
  const own = misfortunesIn(cells)(finding.cells);
  const misfortunesOf = misfortunesIn(accepted.cells);
  return accepted.findings.some(
    (one) => one.site === finding.site && one.verdict === finding.verdict && own.isSubsetOf(misfortunesOf(one.cells)),
  );
}
