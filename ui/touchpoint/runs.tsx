import { useSignal } from '@preact/signals';
import type { PortalCaller, PortalCase } from '../../services/touchpoint-mock/portal-description.ts';
import { Badge } from '../kit/badge.tsx';
import { type Documented, differences, documentedAnswer } from './differences.ts';
import { firstOf, requestOf, type Sent } from './exchange.ts';
import { layOut } from './json-text.ts';
import { explained } from './plain-words.ts';
import type { Portal } from './portal.ts';
import { AnswerParts, Code, totalOf, Verdict } from './response.tsx';
import css from './touchpoint.module.css';

interface Step {
  readonly fixture: PortalCase;
  readonly sent: Sent;
}

interface Result extends Step {
  readonly documented: Documented;
  /** How the answer differs from the documented one. */
  readonly found: readonly string[];
}

interface Running<S extends Step> {
  readonly stepOf: (step: Step, caller: PortalCaller) => S;
  /** Whether the run ends with this step. */
  readonly isLast: (step: Step) => boolean;
  readonly summary: (steps: readonly S[]) => string;
}

/** Sends cases in order, each through its alias. A second call of `run` stops it. */
function useRun<S extends Step>({ caller, send }: Portal, cases: readonly PortalCase[], { stepOf, isLast, summary }: Running<S>) {
  const steps = useSignal<readonly S[]>([]);
  const outcome = useSignal('');
  const stop = useSignal<AbortController>();
  const run = async (): Promise<void> => {
    if (stop.value) return stop.value.abort();
    const running = new AbortController();
    stop.value = running;
    steps.value = [];
    outcome.value = '';
    for (const fixture of cases) {
      const sent = await send(requestOf(fixture, caller.peek()), running.signal);
      if (running.signal.aborted) break;
      steps.value = [...steps.peek(), stepOf({ fixture, sent }, caller.peek())];
      if (isLast({ fixture, sent })) break;
    }
    stop.value = undefined;
    outcome.value = summary(steps.peek());
  };
  return { steps: steps.value, outcome: outcome.value, isRunning: stop.value !== undefined, run: () => void run() };
}

/** The step, and how its answer differs from the documented one. */
function compared({ fixture, sent }: Step, caller: PortalCaller): Result {
  const documented = documentedAnswer(fixture, caller);
  return { fixture, sent, documented, found: sent.answer ? differences(documented, sent.answer) : [explained(sent).text] };
}

/** A client stops at a denied authorization or a failed connection. */
const isUnexpected = ({ fixture, sent }: Step): boolean => sent.answer?.status !== fixture.status;

function sequenceSummary(steps: readonly Step[], of: number): string {
  const last = steps.at(-1);
  if (last && isUnexpected(last))
    return `Stopped at step ${steps.length} of ${of}, case ${last.fixture.case}. ${explained(last.sent).text}`;
  return steps.length < of ? `Stopped after ${steps.length} of ${of} steps.` : `All ${of} steps were answered as expected.`;
}

/** The buttons that run several cases, and their results. */
export function Runs({ portal }: { portal: Portal }) {
  const { cases, sequence: names, aliases } = portal.description;
  const all = useRun(portal, cases, { stepOf: compared, isLast: () => false, summary: (results) => summary(results, portal) });
  const chosen = names.map((name) => firstOf(cases, (one) => one.case === name));
  const sequence = useRun(portal, chosen, {
    stepOf: (step) => step,
    isLast: isUnexpected,
    summary: (steps) => sequenceSummary(steps, names.length),
  });
  const failed = all.steps.some(({ found }) => found.length > 0);
  return (
    <>
      <section aria-labelledby="run-title">
        <h2 id="run-title">Run</h2>
        <div class="line">
          <button type="button" class="primary" id="run-sequence" aria-describedby="sequence-hint" onClick={sequence.run}>
            {sequence.isRunning ? 'Stop the sequence' : 'Run the suggested sequence'}
          </button>
          <button type="button" id="run-all" aria-describedby="all-hint" onClick={all.run}>
            {all.isRunning ? 'Stop' : `Run all ${cases.length} cases`}
          </button>
        </div>
        <p class="muted" id="sequence-hint">
          Sends {names.join(', ')}: three items, the loyalty card, finish, and the retry of finish.
        </p>
        <p class="muted" id="all-hint">
          All cases: compares each answer with the documented one.
        </p>
      </section>
      <section class={css.results} aria-label="Results of all cases">
        {all.isRunning && (
          <p class="line" id="all-progress">
            <progress max={cases.length} value={all.steps.length} aria-label="Cases that were run" />
            {all.steps.length} of {cases.length}, now case {cases[all.steps.length]?.case}
          </p>
        )}
        <p class={failed ? css.failed : undefined} id="all-outcome" role="status">
          {all.outcome}
        </p>
        <ol class={css.all} id="all-results" aria-label="Cases that were run">
          {all.steps.map((result) => (
            <CaseResult key={result.fixture.case} result={result} open={portal.open} />
          ))}
        </ol>
      </section>
      <section class={css.results} aria-label="Results of the suggested sequence">
        <p id="sequence-outcome" role="status">
          {sequence.isRunning ? 'Running…' : sequence.outcome}
        </p>
        <ol id="sequence-steps" aria-label="Steps of the suggested sequence">
          {sequence.steps.map((step) => (
            <SequenceStep key={step.fixture.case} step={step} path={firstOf(aliases, ({ name }) => name === step.fixture.alias).path} />
          ))}
        </ol>
      </section>
    </>
  );
}

function summary(results: readonly Result[], { description: { cases }, caller }: Portal): string {
  const of = cases.length;
  const failed = results.filter(({ found }) => found.length > 0).map(({ fixture }) => fixture.case);
  const good = results.length - failed.length;
  const sentences = [
    results.length < of && `Stopped after ${results.length} of ${of} cases.`,
    failed.length === 0 &&
      (results.length === of ? `All ${of} cases were answered as documented.` : `${good} were answered as documented.`),
    failed.length > 0 &&
      `${good} of ${results.length} cases were answered as documented, ${failed.length} ${failed.length === 1 ? 'was' : 'were'} not: ${failed.join(', ')}.`,
    failed.length > 0 &&
      !caller.peek().authorized &&
      'The mock refuses the chosen caller. The cases document the answers to a permitted caller.',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** A case that was run: one line, which opens to what was documented and what was answered. */
function CaseResult({ result: { fixture, sent, documented, found }, open }: { result: Result; open: Portal['open'] }) {
  const isOpened = useSignal(false);
  const passed = found.length === 0;
  return (
    <li class={passed ? undefined : css.wrong} data-case={fixture.case}>
      <details onToggle={() => (isOpened.value = true)}>
        <summary>
          <strong class={`${css.mark} ${passed ? 'good' : 'bad'}`} role="img" aria-label={passed ? 'as documented' : 'not as documented'}>
            {passed ? '✓' : '✕'}
          </strong>
          <span class={css.caseName}>{fixture.case}</span>
          <span class="clip">{fixture.title}</span>
          <Badge tone={passed ? undefined : 'bad'}>{sent.answer?.status ?? '–'}</Badge>
        </summary>
        {isOpened.value && (
          <>
            <ul class="brk" aria-label="Differences">
              {(passed ? ['Status, headers and body are as documented.'] : found).map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
            <div class={`side-by-side ${css.comparison}`}>
              <Body title="Documented" name={fixture.case} answer={documented} />
              {sent.answer && <Body title="Answered" name={fixture.case} answer={sent.answer} />}
            </div>
            <button type="button" onClick={() => open(sent)}>
              Open in the form
            </button>
          </>
        )}
      </details>
    </li>
  );
}

const Body = ({ title, name, answer: { status, text } }: { title: string; name: string; answer: Pick<Documented, 'status' | 'text'> }) => (
  <div>
    <h3>
      {title}, {status}
    </h3>
    <Code label={`${title} body of ${name}`}>{layOut(text).join('\n')}</Code>
  </div>
);

function SequenceStep({ step: { fixture, sent }, path }: { step: Step; path: string }) {
  const { answer } = sent;
  const total = answer && totalOf(answer);
  return (
    <li class={css.step} data-case={fixture.case}>
      <p class="line">
        <span class={css.caseName}>{fixture.case}</span>
        <strong>{fixture.title}</strong>
        <code class="muted brk">{path}</code>
      </p>
      <Verdict sent={sent} />
      {answer && (
        <details>
          <summary>{total === undefined ? 'Answer' : `Answer, total ${total}`}</summary>
          <AnswerParts answer={answer} name={`step ${fixture.case}`} />
        </details>
      )}
    </li>
  );
}
