import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { misuse } from '../failure.ts';
import type { Look } from '../output/look.ts';
import { table } from '../output/table.ts';

const flowsOf = ({ flows }: Scenario): readonly string[] => flows.map((flow) => `flow-${flow}`);

/** All words that name scenarios. */
export const scenarioWords = (): readonly string[] => [...scenarios.map(({ name }) => name), ...new Set(scenarios.flatMap(flowsOf))];

/** @throws CommandFailure when a name is unknown */
export function chosenScenarios(names: readonly string[], all = false): readonly Scenario[] {
  const words = scenarioWords();
  const unknown = names.filter((name) => !words.includes(name));
  if (unknown.length > 0) throw misuse(unknown.map((name) => unknownWord('scenario', name, words, 'estate rehearse --list')).join('\n'));
  if (all) return scenarios;
  if (names.length === 0) return scenarios.slice(0, 1);
  return scenarios.filter((scenario) => names.includes(scenario.name) || flowsOf(scenario).some((flow) => names.includes(flow)));
}

export const listOfScenarios = (look: Look): string =>
  table(
    ['scenario', 'flows', 'what happens'],
    scenarios.map(({ name, title, flows }) => [name, flows.join(', '), title]),
    look,
  );
