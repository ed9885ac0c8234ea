import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { misuse } from '../failure.ts';
import { unknownWord } from '../nearest-word.ts';
import type { Look } from '../output/look.ts';
import { table } from '../output/table.ts';

const flowsOf = ({ flows }: Scenario): readonly string[] => flows.map((flow) => `flow-${flow}`);

/** All words that name scenarios. */
export const scenarioWords = (): readonly string[] => [...scenarios.map(({ name }) => name), ...new Set(scenarios.flatMap(flowsOf))];

/** A scenario of ours, or of the user's file. */
export interface ChosenScenario {
  readonly scenario: Scenario;
  readonly file?: string;
}

/** @throws CommandFailure when a name is unknown */
export function chosenScenarios(names: readonly string[], all = false): readonly ChosenScenario[] {
  const words = scenarioWords();
  const unknown = names.filter((name) => !words.includes(name));
  if (unknown.length > 0) throw misuse(unknown.map((name) => unknownWord('scenario', name, words, 'estate rehearse --list')).join('\n'));
  const isNamed = (scenario: Scenario): boolean =>
    all || names.includes(scenario.name) || flowsOf(scenario).some((flow) => names.includes(flow));
  const chosen = names.length === 0 && !all ? scenarios.slice(0, 1) : scenarios.filter(isNamed);
  return chosen.map((scenario) => ({ scenario }));
}

export const listOfScenarios = (look: Look): string =>
  table(
    ['scenario', 'flows', 'what happens'],
    scenarios.map(({ name, title, flows }) => [name, flows.join(', '), title]),
    look,
  );
