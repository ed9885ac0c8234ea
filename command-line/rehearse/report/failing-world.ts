import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { EstateClient } from '../../../rehearsal/estate-client.ts';
import type { StepRecord } from '../../../rehearsal/scenario.ts';
import { ENDING, type Failure, packed } from '../../../shared/domain/estate-file.ts';
import { errorMessage } from '../../../shared/domain/text.ts';
import { GIVEN_BYTES, readTextWithin } from '../../../shared/process/bounded-file.ts';
import { withReason, writeGiven } from '../../output/written-file.ts';
import type { ChosenScenario } from '../choice.ts';

/** The file of the world that a scenario left when it failed, or why there is none. */
type FailingWorld = { readonly file: string } | { readonly missing: string };

const fileOf = ({ scenario }: ChosenScenario): string => `${scenario.name}${ENDING}`;

/** Removes the files of an earlier run, which could be mistaken for the files of this one. */
export async function removeWorlds(folder: string, chosen: readonly ChosenScenario[]): Promise<void> {
  await withReason(() => Promise.all(chosen.map((one) => rm(join(folder, fileOf(one)), { force: true }))));
}

interface Failed {
  readonly client: EstateClient;
  readonly name: string;
  readonly problem: string;
  readonly lastStep: StepRecord | undefined;
}

/** Writes the world of a failed scenario to the folder of the report, before its rehearsal is deleted. Never throws. */
export async function writeWorld(
  folder: string,
  chosen: ChosenScenario,
  { client, name, problem, lastStep }: Failed,
): Promise<FailingWorld> {
  const { scenario, file } = chosen;
  const failure: Failure = {
    version: 1,
    estate: manifest.version,
    scenario: { name: scenario.name, title: scenario.title, file: file && basename(file) },
    problem,
    step: lastStep && { title: lastStep.title, call: lastStep.call, status: lastStep.status, correlationId: lastStep.correlationId },
  };
  try {
    const snapshot = await client.control('export-rehearsal', { params: { name } });
    const source = file === undefined ? undefined : readTextWithin(file, { most: GIVEN_BYTES });
    await writeGiven(join(folder, fileOf(chosen)), packed({ snapshot, failure, scenario: source }));
    return { file: fileOf(chosen) };
  } catch (error) {
    return { missing: `${join(folder, fileOf(chosen))}: ${errorMessage(error)}` };
  }
}
