import { useSignal } from '@preact/signals';
import type { PortalCase } from '../../services/touchpoint-mock/portal-description.ts';
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

/** The buttons that run several cases, and their results. */
export function Runs({ portal }: { portal: Portal }) {
  const { cases } = portal.description;
  const stop = useSignal<AbortController>();
  const results = useSignal<readonly Result[]>([]);
  const outcome = useSignal('');
  const sequence = useSequence(portal);
  /** Runs every case in order, and compares each answer with the documented one. A second click stops the run. */
  const runAll = async (): Promise<void> => {
    if (stop.value) return stop.value.abort();
    const running = new AbortController();
    stop.value = running;
    outcome.value = '';
    results.value = [];
    const caller = portal.caller.peek();
    for (const fixture of cases) {
      const sent = await portal.send(requestOf(fixture, caller), running.signal);
      if (running.signal.aborted) break;
      const documented = documentedAnswer(fixture, caller);
      const found = sent.answer ? differences(documented, sent.answer) : [explained(sent).text];
      results.value = [...results.peek(), { fixture, sent, documented, found }];
    }
    stop.value = undefined;
    outcome.value = summary(results.peek(), portal);
  };
  const failed = results.value.some(({ found }) => found.length > 0);
  return (
    <>
      <section aria-labelledby="run-title">
        <h2 id="run-title">Run</h2>
        <div class="line">
          <button
            type="button"
            class="primary"
            id="run-sequence"
            aria-describedby="sequence-hint"
            aria-disabled={sequence.isRunning.value}
            onClick={() => void sequence.run()}
          >
            Run the suggested sequence
          </button>
          <button type="button" id="run-all" aria-describedby="all-hint" onClick={() => void runAll()}>
            {stop.value ? 'Stop' : `Run all ${cases.length} cases`}
          </button>
        </div>
        <p class="muted" id="sequence-hint">
          Sends {portal.description.sequence.join(', ')}: three items, the loyalty card, finish, and the retry of finish.
        </p>
        <p class="muted" id="all-hint">
          All cases: compares each answer with the documented one.
        </p>
      </section>
      <section class={css.results} aria-label="Results of all cases">
        {stop.value && (
          <p class="line" id="all-progress">
            <progress max={cases.length} value={results.value.length} aria-label="Cases that were run" />
            {results.value.length} of {cases.length}, now case {cases[results.value.length]?.case}
          </p>
        )}
        <p class={failed ? css.failed : undefined} id="all-outcome" role="status">
          {outcome}
        </p>
        <ol class={css.all} id="all-results" aria-label="Cases that were run">
          {results.value.map((result) => (
            <CaseResult key={result.fixture.case} result={result} open={portal.open} />
          ))}
        </ol>
      </section>
      <section class={css.results} aria-label="Results of the suggested sequence">
        <p id="sequence-outcome" role="status">
          {sequence.outcome}
        </p>
        <ol id="sequence-steps" aria-label="Steps of the suggested sequence">
          {sequence.steps.value.map((step) => (
            <SequenceStep
              key={step.fixture.case}
              step={step}
              path={firstOf(portal.description.aliases, ({ name }) => name === step.fixture.alias).path}
            />
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

/** Runs the suggested cases in order, each through its alias. */
function useSequence({ description: { cases, sequence }, caller, send }: Portal) {
  const steps = useSignal<readonly Step[]>([]);
  const outcome = useSignal('');
  const isRunning = useSignal(false);
  const runSteps = async (): Promise<string> => {
    for (const [index, name] of sequence.entries()) {
      const fixture = firstOf(cases, (one) => one.case === name);
      const sent = await send(requestOf(fixture, caller.peek()));
      steps.value = [...steps.peek(), { fixture, sent }];
      // A client stops at a denied authorization or a failed connection.
      if (sent.answer?.status !== fixture.status)
        return `Stopped at step ${index + 1} of ${sequence.length}, case ${fixture.case}. ${explained(sent).text}`;
    }
    return `All ${sequence.length} steps were answered as expected.`;
  };
  const run = async (): Promise<void> => {
    if (isRunning.value) return;
    isRunning.value = true;
    steps.value = [];
    outcome.value = 'Running…';
    outcome.value = await runSteps();
    isRunning.value = false;
  };
  return { steps, outcome, isRunning, run };
}

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
