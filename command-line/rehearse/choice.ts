import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { misuse } from '../failure.ts';
import type { Look } from '../output/table.ts';
import { table } from '../output/table.ts';
import { isFile, ownScenarios } from './own-scenarios.ts';

const flowsOf = ({ flows }: Scenario): readonly string[] => flows.map((flow) => `flow-${flow}`);

const scenarioWords = (): readonly string[] => [...scenarios.map(({ name }) => name), ...new Set(scenarios.flatMap(flowsOf))];

/** A scenario of the estate, or of a user's file. */
export interface ChosenScenario {
  readonly scenario: Scenario;
  readonly file?: string;
}

/** @throws CommandFailure with a sentence for each unknown name and each invalid file */
export async function chosenScenarios(given: readonly string[], all = false): Promise<readonly ChosenScenario[]> {
  const words = scenarioWords();
  const names = given.filter((word) => !isFile(word));
  const unknown = names
    .filter((name) => !words.includes(name))
    .map((name) => unknownWord('scenario', name, words, 'estate rehearse --list'));
  const { found, mistakes } = await ownScenarios(given.filter(isFile), words);
  if (unknown.length + mistakes.length > 0) throw misuse([...unknown, ...mistakes].join('\n'));
  const isNamed = (scenario: Scenario): boolean =>
    all || names.includes(scenario.name) || flowsOf(scenario).some((flow) => names.includes(flow));
  const ours = given.length === 0 && !all ? scenarios.slice(0, 1) : scenarios.filter(isNamed);
  return [...ours.map((scenario) => ({ scenario })), ...found];
}

export function listOfScenarios(listed: readonly Scenario[], look: Look): string {
  const rows = listed.map(({ name, title, flows }) => [name, flows.join(', '), title]);
  return table(['scenario', 'flows', 'what happens'], rows, look);
}
