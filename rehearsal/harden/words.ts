import { inOneLine } from '../../shared/domain/printable.ts';
import { counted } from '../../shared/domain/text.ts';
import { type Cell, type Difference, type Family, type Finding, type HardenRun, isFailing, type Verdict } from './run.ts';

/** Heads of the columns. Each word has at most seven letters, so that eight columns fit into 80 characters. */
export const HEADS: Readonly<Record<Family, string>> = {
  absent: 'System down',
  'lost-answers': 'Answer lost',
  delivery: 'Event twice or late',
  forged: 'Forged, must be refused',
  credentials: 'Token expires',
  permitted: 'Allowed change',
  forbidden: 'Broken, must be noticed',
  calendar: 'Special date',
};

/** What happened, for people. */
export const SENTENCES: Readonly<Record<Verdict, string>> = {
  twice: 'Something happened twice.',
  half: 'Something was left half done.',
  silent: 'Success was reported although less happened, or a message was accepted that had to be refused.',
  wrong: 'Books or check differ from the baseline.',
  stuck: 'The command did not end.',
  unstable: 'Repeated tries had different outcomes.',
  'failed-cleanly': 'The command failed and left nothing behind.',
  'not-struck': 'The misfortune never happened in this try, or nothing could reveal it.',
  survived: 'It ended as in the baseline.',
};

/** One word for a cell: at most seven letters. */
const WORDS: Readonly<Record<Verdict, string>> = {
  twice: 'twice',
  half: 'half',
  silent: 'silent',
  wrong: 'wrong',
  stuck: 'stuck',
  unstable: 'varies',
  'failed-cleanly': 'ok',
  'not-struck': 'unseen',
  survived: 'ok',
};

/** How good an outcome is: its colour. */
export type Tone = 'good' | 'warn' | 'bad';

/** The outcome of a cell: a mark, a word, and its colour. */
export interface Outcome {
  readonly mark: string;
  readonly word: string;
  readonly tone: Tone | undefined;
}

const OPEN: Outcome = { mark: '·', word: 'untried', tone: undefined };

/** @param isAccepted the team has accepted the finding of the cell */
export function outcomeOf({ verdict }: Cell, isAccepted: boolean): Outcome {
  if (verdict === undefined) return OPEN;
  const word = WORDS[verdict];
  if (isFailing(verdict)) return isAccepted ? { mark: '✗', word: 'known', tone: 'warn' } : { mark: '✗', word, tone: 'bad' };
  if (verdict === 'unstable') return { mark: '?', word, tone: 'warn' };
  return verdict === 'not-struck' ? { mark: '–', word, tone: undefined } : { mark: '✓', word, tone: 'good' };
}

/** What a cell did, in a line: `Twice: The answer is lost (504). Something happened twice.` */
export function cellSentence({ id, label, verdict, reason }: Cell): string {
  const what = verdict === undefined ? 'Not tried.' : (reason ?? SENTENCES[verdict]);
  return inOneLine(`${id}: ${label} ${what}`, 1_000);
}

/** How a finding counts, sorted as in a report. Only an open one fails the run: tries that disagree prove no mistake. */
const STANDINGS = ['open', 'varies', 'accepted'] as const;
type Standing = (typeof STANDINGS)[number];

const standingOf = ({ verdict, accepted }: Finding): Standing => (verdict === 'unstable' ? 'varies' : accepted ? 'accepted' : 'open');

/** The colour of a finding. */
export const toneOf = (finding: Finding): Tone => (standingOf(finding) === 'open' ? 'bad' : 'warn');

/** `twice`, `varies`, `silent (accepted)` */
export const titleOf = (finding: Finding): string => `${WORDS[finding.verdict]}${standingOf(finding) === 'accepted' ? ' (accepted)' : ''}`;

/** Findings that fail the run first, sorted as in the run. */
export const sortedFindings = ({ findings }: HardenRun): readonly Finding[] =>
  findings.toSorted((one, other) => STANDINGS.indexOf(standingOf(one)) - STANDINGS.indexOf(standingOf(other)));

export const isTried = ({ verdict }: Cell): boolean => verdict !== undefined;
/** The command has not written its end yet. A cell that the plan has skipped has a reason. */
export const isRunning = ({ cells, endedEarly }: HardenRun): boolean =>
  endedEarly === undefined && !cells.every((cell) => isTried(cell) || cell.reason !== undefined);
/** Findings that fail the run. */
export const openFindings = ({ findings }: HardenRun): readonly Finding[] => findings.filter((finding) => standingOf(finding) === 'open');

/** `3 findings, 1 accepted, 2 outcomes vary` */
export function headline(run: HardenRun): string {
  const { open = [], accepted = [], varies = [] } = Object.groupBy(run.findings, standingOf);
  const found = open.length === 0 ? (run.cells.some(isTried) ? 'No finding' : 'Nothing tried') : counted(open.length, 'finding');
  const known = accepted.length === 0 ? '' : `, ${accepted.length} accepted`;
  return `${found}${known}${varies.length === 0 ? '' : `, ${counted(varies.length, 'outcome varies', 'outcomes vary')}`}`;
}

/** `412 of 1,200 misfortunes tried in 3 min` */
export function effort(run: HardenRun): string {
  const tried = run.cells.filter(isTried).length;
  return `${tried.toLocaleString('en')} of ${counted(run.cells.length, 'misfortune')} tried in ${span(run.ms)}${isRunning(run) ? ' so far' : ''}`;
}

/** A length of time in one unit: `850 ms`, `12 s`, `3 min`, `2.5 h`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 99_500) return `${Math.round(ms / 1_000)} s`;
  return ms < 5_970_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

const STATES: Readonly<Record<HardenRun['state'], string>> = {
  none: 'Nothing reset your system, so it must keep its data by rehearsal',
  url: 'Each try had its own address of your system',
  before: 'Your system was reset before each try',
  container: 'Each try had its own container of your system',
};

/** How the run was made: sentences. */
export const conditions = ({ state, patience, seed, baseline }: HardenRun): readonly string[] => [
  `The baseline has ${counted(baseline.calls, 'call')} and ${counted(baseline.deliveries, 'delivery', 'deliveries')}, and took ${span(baseline.ms)}.`,
  `${STATES[state]}. After each try the clock ran for ${inOneLine(patience, 40)}. Seed: ${inOneLine(seed, 100)}.`,
];

/** What the run did not try: sentences. */
export function notTried(run: HardenRun): readonly string[] {
  const { cells, endedEarly } = run;
  const open = cells.filter((cell) => !isTried(cell));
  const missed = cells.filter(({ verdict }) => verdict === 'not-struck').length;
  const byFamily = [...Map.groupBy(open, ({ family }) => family)].map(([family, some]) => `${HEADS[family]} ${some.length}`);
  return [
    ...(endedEarly === undefined ? [] : [`The run ended early: ${inOneLine(endedEarly)}`]),
    ...(open.length === 0
      ? []
      : [
          `${counted(open.length, 'misfortune')} ${open.length === 1 ? 'was' : 'were'} not tried${isRunning(run) ? ' yet' : ''}: ${byFamily.join(' · ')}.`,
        ]),
    ...(missed === 0
      ? []
      : [
          `${counted(missed, 'misfortune')} never happened in ${missed === 1 ? 'its try' : 'their tries'}, or nothing could reveal ${missed === 1 ? 'it' : 'them'}.`,
        ]),
  ];
}

/** The wall time of the start in milliseconds; undefined when the text is not an instant. */
export function startOf({ startedAt }: HardenRun): number | undefined {
  const at = Date.parse(startedAt);
  return Number.isNaN(at) ? undefined : at;
}

/** `, 2026-11-29 10:00 UTC` */
export function startText(run: HardenRun): string {
  const at = startOf(run);
  return at === undefined ? '' : `, ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The command in a line, cut where it is long. */
export const commandOf = ({ command }: HardenRun): string => inOneLine(command, 300);

/** The differences of the first cell of a finding that has some. */
export const differencesOf = (cells: readonly Cell[]): readonly Difference[] =>
  cells.find(({ differences }) => differences !== undefined && differences.length > 0)?.differences ?? [];
