import { type CheckedStory, compareChecks } from './check.ts';
import { compareEffects, type Effects, hasLeft, isCompletedBy } from './effects.ts';
import { type Evidence, unnoticed } from './forbidden.ts';
import type { Cell, Difference, Verdict } from './run.ts';

/** How a story ended, with or without a misfortune. */
export interface Story {
  readonly rehearsal: string;
  readonly startsAt: string;
  /** Undefined: the command did not end in time. */
  readonly exitCode: number | undefined;
  /** How it ended, as a sentence; undefined if the exit code shows it. */
  readonly ending?: string;
  /** Whether the story of the estate failed while the user's system still ran. */
  readonly isStoryBroken?: boolean;
  readonly ms: number;
  /** Text of the user's check; undefined without a check. */
  readonly check: string | undefined;
  readonly effects: Effects;
  /** Titles of the estate's invariants that are violated. */
  readonly broken: readonly string[];
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly differences: readonly Difference[];
}

/** What else decides a verdict. */
export interface Facts {
  readonly cell: Pick<Cell, 'family' | 'misfortune'>;
  /** Strikes of the misfortune. */
  readonly hits: number;
  /** Status of the receiver's answer to a forged message. */
  readonly forgedStatus?: number;
  /** Verdict of the same site when its application is absent, for a change of that refusal. */
  readonly whenAbsent?: Verdict;
  readonly forbidden?: Omit<Evidence, 'check' | 'differences'>;
  /** Whether the try lacks changes of the baseline, and made none more often. */
  readonly isCutShort?: boolean;
  /** Whether the receiver of the site had ended before it got an event that it got in the baseline. */
  readonly isUndelivered?: boolean;
}

/** Whether the command may be run once more in the same rehearsal, to see whether that completes it. */
export type Judged = Judgement | { readonly needsRepetition: Judgement };

const MOST_DIFFERENCES = 50;

/** The verdict of a cell. Pure: everything that it depends on is given. */
export function judge(baseline: Story, tried: Story, facts: Facts): Judged {
  const { cell, hits } = facts;
  const effects = compareEffects(baseline.effects, tried.effects);
  const checks = differencesOfChecks(baseline, tried);
  const judged = (verdict: Verdict, reason: string, differences: readonly Difference[] = []): Judgement => ({
    verdict,
    reason,
    differences: differences.slice(0, MOST_DIFFERENCES),
  });
  const all = [...effects.differences, ...checks];

  if (cell.family !== 'calendar' && hits === 0) return judged('not-struck', 'The misfortune did not happen in this story.');
  if (tried.exitCode === undefined) return judged('stuck', 'The command did not end, and was stopped.', all);
  if (tried.broken.length > baseline.broken.length) return judged('wrong', `An invariant is violated: ${tried.broken.join('; ')}.`, all);
  if (cell.family === 'forged' && isAccepted(facts.forgedStatus))
    return judged('silent', `The receiver answered ${facts.forgedStatus} to a forged message, in place of 4xx.`);
  if (cell.family === 'calendar' && tried.isStoryBroken) return judged('not-struck', `The story does not fit this date. ${tried.ending}`);
  if (cell.family === 'calendar') return judgeDate(tried, effects.differences, checks, judged);
  if (cell.misfortune === 'retry-after-date' && facts.whenAbsent !== undefined && facts.whenAbsent !== 'survived')
    return judged('survived', 'The command does not survive the refusal itself, whatever its header.');
  const hasOnlyMore = effects.hasMore && !effects.hasLess;
  if (hasOnlyMore && !facts.isCutShort) return judged('twice', 'Something happened more often than in the baseline.', all);
  if (cell.family === 'forbidden') {
    if (tried.exitCode !== 0) return judged('survived', `The command noticed it: exit code ${tried.exitCode}.`);
    if (facts.forbidden && effects.differences.length === 0) {
      const reason = unnoticed({ ...facts.forbidden, check: tried.check ?? '', differences: checks });
      return reason === undefined
        ? judged('not-struck', 'Nothing that the command returns or shows can reveal it.')
        : judged('silent', reason, checks);
    }
  }
  if (tried.exitCode === 0) {
    if (hasOnlyMore || (effects.hasLess && !effects.hasMore && !effects.hasOther))
      return judged('silent', 'The command reported success, although less happened than in the baseline.', all);
    if (effects.differences.length > 0) return judged('wrong', 'The books differ from the baseline.', all);
    if (checks.length > 0 && facts.isUndelivered && cell.family === 'forged') return judged('survived', REFUSED_AND_ENDED);
    if (checks.length > 0 && facts.isUndelivered && cell.family === 'delivery') return judged('not-struck', ENDED_BEFORE_EVENT);
    if (checks.length > 0) return judged('wrong', 'The check differs from the baseline.', checks);
    return judged('survived', 'The story ended as in the baseline.');
  }
  return judgeFailure(tried, effects.differences, facts, judged);
}

type Judging = (verdict: Verdict, reason: string, differences?: readonly Difference[]) => Judgement;

const isAccepted = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

const REFUSED_AND_ENDED =
  'The receiver refused the forged message. The command ended before the event was sent again, so its check does not count.';
const ENDED_BEFORE_EVENT =
  'The command ended before the event came, so its check does not count. Let the command wait for the event, or give a check that reads your system later.';

/** Misfortunes after which a sound receiver gets the event later. */
const DELAYS: readonly string[] = ['late', 'day-late', 'bad-signature', 'stale-timestamp'];

/** The command failed. */
function judgeFailure(tried: Story, differences: readonly Difference[], { cell }: Facts, judged: Judging): Judged {
  const failed = `The command failed with exit code ${tried.exitCode}`;
  if (cell.family === 'permitted')
    return hasLeft(tried.effects)
      ? judged('half', `${failed}, although the contract permits the change, and left something behind.`, differences)
      : judged('wrong', `${failed}, although the contract permits the change.`);
  if (!hasLeft(tried.effects)) return judged('failed-cleanly', `${failed}, and left nothing behind.`);
  if (DELAYS.includes(cell.misfortune) && differences.length === 0)
    return judged('failed-cleanly', `${failed} while the event was on its way; then nothing was missing.`);
  const reason =
    differences.length === 0
      ? `${failed}, although everything was carried out.`
      : `${failed}. Part of its work was carried out, and nothing completes or undoes it.`;
  return { needsRepetition: judged('half', reason, differences) };
}

/** Books depend on the date, such as parcels on a Sunday, so only the check and the exit code count. */
function judgeDate(tried: Story, effects: readonly Difference[], checks: readonly Difference[], judged: Judging): Judgement {
  if (tried.exitCode === 0)
    return checks.length > 0
      ? judged('wrong', 'The check differs from the baseline.', checks)
      : judged('survived', 'The story ended as in the baseline.');
  const failed = `The command failed with exit code ${tried.exitCode} on this date`;
  return hasLeft(tried.effects)
    ? judged('half', `${failed}, and left something behind.`, effects)
    : judged('failed-cleanly', `${failed}, and left nothing behind.`);
}

/** The verdict after one repetition in the same rehearsal. */
export function judgeRepetition(baseline: Story, repeated: Story, otherwise: Judgement): Judgement {
  const isComplete =
    repeated.exitCode === 0 && isCompletedBy(baseline.effects, repeated.effects) && differencesOfChecks(baseline, repeated).length === 0;
  return isComplete
    ? { verdict: 'failed-cleanly', reason: 'The command failed, and one repetition completed it.', differences: [] }
    : otherwise;
}

/** A command that failed may have written no check. */
export function differencesOfChecks(baseline: Story, tried: Story): readonly Difference[] {
  const [one, other] = [checkedStory(baseline), checkedStory(tried)];
  if (one === undefined || (other === undefined && tried.exitCode !== 0)) return [];
  if (other === undefined) return [{ what: 'check', baseline: 'written', tried: 'nothing' }];
  return compareChecks(one, other);
}

const checkedStory = ({ check, rehearsal, startsAt }: Story): CheckedStory | undefined =>
  check === undefined ? undefined : { text: check, rehearsal, startsAt };

/** How two baselines differ; empty when they are equal. */
export const differencesOfStories = (one: Story, other: Story): readonly Difference[] => [
  ...(one.exitCode === other.exitCode ? [] : [{ what: 'exit code', baseline: String(one.exitCode), tried: String(other.exitCode) }]),
  ...compareEffects(one.effects, other.effects).differences,
  ...differencesOfChecks(one, other),
];
