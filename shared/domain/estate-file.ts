import { strToU8, zipSync } from 'fflate';

/** What failed in a rehearsal. */
export interface Failure {
  readonly version: 1;
  /** Version of the estate. */
  readonly estate: string;
  /** `file`: the name of the user's file with the scenario. The archive has its text. */
  readonly scenario: { readonly name: string; readonly title: string; readonly file?: string };
  readonly problem: string;
  /** The last step, whose trace is in the journal of the snapshot. Absent: the scenario made none. */
  readonly step?: { readonly title: string; readonly call: string; readonly status: number; readonly correlationId: string };
}

/**
 * A world as a file, `<name>.estate.zip`: a snapshot with its journal. The file of a failed scenario has the failure and the text of the
 * scenario, too.
 */
export interface EstateFile {
  readonly snapshot: unknown;
  readonly failure?: Failure;
  readonly scenario?: string;
}

export const ENDING = '.estate.zip';

/** The names in the archive. */
export const PARTS = { snapshot: 'snapshot.json', failure: 'failure.json', scenario: 'scenario.txt' } as const;

export function packed({ snapshot, failure, scenario }: EstateFile): Uint8Array<ArrayBuffer> {
  const text = (value: unknown): Uint8Array => strToU8(`${JSON.stringify(value, null, 2)}\n`);
  return zipSync({
    [PARTS.snapshot]: text(snapshot),
    ...(failure && { [PARTS.failure]: text(failure) }),
    ...(scenario !== undefined && { [PARTS.scenario]: strToU8(scenario) }),
  });
}
