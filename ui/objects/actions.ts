import type { ObjectType } from '../../rehearsal/call-types.ts';
import { apis } from '../data/catalog.ts';
import { here, type Output, whyNoCall } from '../data/data.ts';
import { type ActionHints, actionHints, commonHints } from './action-hints.ts';
import { forms } from './catalog.ts';
import { bodyOf, type Field, formOf, type Input, inWords, type Values } from './form.ts';
import type { Near } from './near.tsx';
import { type Step, send, tryOut } from './steps.ts';

/** What can be done with an object. */
export interface Action {
  /** The verb of its life cycle, or the name of its hint. */
  readonly step: string;
  readonly label: string;
  /** What it would do. */
  readonly does: string;
  /** Why it is not possible now. */
  readonly obstacle: string | undefined;
  /** The fields of its form. Without fields, no form opens. */
  readonly fields: readonly Field[];
  readonly steps: (values: Values) => readonly Step[];
  /** The effect in words. The form shows it before the act. @throws Refusal */
  readonly preview: ((values: Values) => Promise<string>) | undefined;
}

type Explanation = Output<'explain-object'>;
type Verdict = Explanation['steps'][number] & Partial<Pick<Explanation['moves'][number], 'to'>>;

interface Acted {
  readonly type: string;
  readonly id: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** Its verdicts are the verdicts of the applications. */
  readonly explanation: Pick<Explanation, 'state' | 'moves' | 'steps'> | undefined;
  readonly near: Near;
  /** Why an application cannot act now. */
  readonly whyNot: (application: string | undefined) => string | undefined;
}

/**
 * What can be done with an object, and why the rest is not possible now: the steps of its explanation, and the further calls that hints
 * name. Possible actions come first.
 */
export function actionsOf({ type, id, object, explanation, near, whyNot }: Acted): readonly Action[] {
  const moves = (explanation?.moves ?? []).map((move): Verdict => ({ ...move, step: move.verb }));
  const steps = [...moves, ...(explanation?.steps ?? [])].filter(({ by }) => by !== 'estate');
  const verdicts = new Map(steps.map((verdict) => [verdict.step, verdict]));
  const hints = (actionHints[type as ObjectType] ?? {}) as Readonly<Record<string, string | ActionHints<unknown>>>;

  const actions = [...new Set([...Object.keys(hints), ...verdicts.keys()])].flatMap((step): readonly Action[] => {
    const verdict = verdicts.get(step);
    const known = hints[step];
    const hint: ActionHints<unknown> | undefined = typeof known === 'string' ? { does: known } : known;
    const call = hint?.call ?? verdict?.call;
    if (call === undefined || hint?.isFor?.(object) === false) return [];
    const input: Input = { params: { id }, body: {}, ...verdict?.input, ...hint?.input?.(object, near) };
    const obstacle = obstacleIn(verdict) ?? whyNoCall(here(), call) ?? whyNot(apis[call]?.application);
    const fieldsOf = (): readonly Field[] => {
      const members = (hint?.members ?? [call]).flatMap((one) => forms[one]?.members ?? []);
      const fields = typeof hint?.fields === 'function' ? hint.fields(object, near, input) : (hint?.fields ?? (hint && {}));
      return formOf(members, { input, fields, common: commonHints(near) });
    };
    const fields = obstacle === undefined ? fieldsOf() : [];
    const stepsFor = (values: Values): readonly Step[] => {
      const filled = { ...input, body: bodyOf(fields, values, input) };
      return hint?.steps?.(object, filled, (other) => verdicts.get(other)?.input) ?? [send(call, filled, id)];
    };
    const does = (typeof hint?.does === 'function' ? hint.does(object) : hint?.does) ?? doesOf(call, verdict, explanation?.state);
    const { preview } = hint ?? {};
    const previewOf =
      preview && ((values: Values) => tryOut(call, { ...input, body: bodyOf(fields, values, input) }).then((answer) => preview(answer)));
    return [{ step, label: hint?.label ?? inWords(step), does, obstacle, fields, steps: stepsFor, preview: previewOf }];
  });
  return actions.toSorted((one, other) => Number(one.obstacle !== undefined) - Number(other.obstacle !== undefined));
}

/** A fault does not disable an action, because somebody may want to see it strike. */
const obstacleIn = ({ possible, code, why }: Partial<Verdict> = { possible: true }): string | undefined =>
  possible || code === 'fault' ? undefined : why;

/** The new state, or the summary of a call that keeps the state. */
function doesOf(call: string, { to = [] }: Partial<Verdict> = {}, state: string | undefined): string {
  const others = to.filter((one) => one !== state);
  return others.length > 0 ? `It becomes ${others.join(' or ')}.` : (forms[call]?.does ?? '');
}
