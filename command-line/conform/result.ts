import type { CallResult, CheckResult } from '../../shared/elsewhere/conform/checks.ts';
import type { MadeCall } from '../../shared/elsewhere/conform/system.ts';
import { checksIn, deviates, onlyStatusOf, verdictOf } from '../../shared/elsewhere/conform/verdict.ts';
import type { Entry, Recorded } from '../../ui/report/recorded.ts';
import { type Look, table } from '../output/table.ts';
import type { ScenarioResult } from './scenarios.ts';

export function showCalls(results: readonly CallResult[], look: Look): string {
  const rows = results.map((result) => [
    verdictOf(result) === 'not offered' ? 'not offered' : result.obligation,
    result.api.name,
    inWords(result),
  ]);
  const deviations = results.flatMap(({ api, checks }) =>
    checks.filter(deviates).map(({ check, detail }) => `${look.style('red', `${api.id} ${check}`)}: ${detail}`),
  );
  const only = onlyStatusOf(results);
  const lines = [...deviations, ...(only === undefined ? [] : [`Every call was answered with ${only}: is --url right?`])];
  return [table(['', 'call', 'checks'], rows, look), ...(lines.length > 0 ? [`\n${lines.join('\n')}`] : [])].join('\n');
}

function inWords(result: CallResult): string {
  const { checks } = result;
  switch (verdictOf(result)) {
    case 'missing':
      return 'MISSING: other applications make this call';
    case 'not offered':
      return '';
    case 'unchecked':
      return 'UNCHECKED: perhaps offered; no check covers it';
    case 'not checked':
      return `not checked: ${checks[0]?.detail}`;
    case 'deviates':
    case 'conforms': {
      const withOutcome = (wanted: CheckResult['outcome']) => checks.filter(({ outcome }) => outcome === wanted).map(({ check }) => check);
      const failed = withOutcome('failed');
      const left = (['not checked', 'not offered'] as const).flatMap((outcome) => {
        const names = withOutcome(outcome);
        return names.length > 0 ? [`${outcome}: ${names.join(', ')}`] : [];
      });
      return [failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${withOutcome('passed').length} passed`, ...left].join('; ');
    }
  }
}

/** The calls as `--json` prints them. */
export const callsAsJson = (results: readonly CallResult[]) =>
  results.map((result) => ({
    id: result.api.id,
    obligation: result.obligation,
    verdict: verdictOf(result),
    checks: result.checks.map(({ check, title, outcome, detail }) => ({ check, title, outcome, detail })),
  }));

/** The checks as a report shows them: one scenario per check. */
export function recordedChecks(results: readonly CallResult[]): readonly Recorded[] {
  return results.flatMap((result) => {
    const { api, obligation } = result;
    return checksIn(result).map((one) => recorded(one, `${api.id}: ${one.check}`, `${api.name} ${one.title} (${obligation})`));
  });
}

const recorded = ({ outcome, isExcused, detail, calls, startedAt, ms }: CheckResult, name: string, title: string): Recorded => ({
  ...unrecorded(name, title),
  startedAt,
  entries: calls.map(entryOf),
  failure: deviates({ outcome, isExcused }) ? (detail ?? outcome) : undefined,
  ...((outcome === 'not offered' || isExcused) && { skipped: detail ?? outcome }),
  ms,
});

const entryOf = ({ api, since, until, ...made }: MadeCall): Entry => ({
  ...{ since, until },
  step: { ...made, title: api.name, application: api.application, api: api.id, events: [] },
});

/** A record without steps. */
export const unrecorded = (name: string, title: string): Recorded => ({
  scenario: { name, title },
  file: undefined,
  rehearsal: undefined,
  startedAt: Date.now(),
  entries: [],
  hops: [],
  events: [],
  omitted: { entries: 0, hops: 0, events: 0, journal: false },
  invariants: [],
  failure: undefined,
  ms: 0,
});

export const recordedScenario = ({ name, title, detail, recorded }: ScenarioResult): Recorded =>
  recorded ?? { ...unrecorded(name, title), skipped: detail ?? 'It did not run.' };

/** The scenarios that did not run, the invariants that were not checked, and the counts. */
export function showScenarios(scenarios: readonly ScenarioResult[], { style }: Look): string {
  if (scenarios.length === 0) return '';
  const ran = scenarios.filter(({ outcome }) => outcome !== 'not offered');
  const failed = ran.filter(({ outcome }) => outcome === 'failed').length;
  const counts = style(failed > 0 ? 'red' : 'green', `${ran.length - failed} of ${ran.length} scenarios passed`);
  const left = scenarios.flatMap(({ name, outcome, detail }) => (outcome === 'not offered' ? [`not offered: ${name}. ${detail}`] : []));
  const notChecked = [...new Set(scenarios.flatMap((one) => one.notChecked))].map((title) => `not checked by verify: ${title}`);
  return `${[...left, ...notChecked].map((line) => `${line}\n`).join('')}${counts}\n\n`;
}

export const scenariosAsJson = (scenarios: readonly ScenarioResult[]) => scenarios.map(({ recorded: _recorded, ...scenario }) => scenario);
