import { applicationNames, applications } from '../../shared/catalog/applications.ts';
import { isSwappable, swappable } from '../../shared/catalog/swap.ts';
import { suites } from '../../shared/contract/suites/suites.ts';

/** What a real system may have in place of ours, and lack. */
interface Checks {
  readonly ids: readonly { readonly name: string; readonly meaning: string; readonly value: string }[];
  readonly capabilities: readonly { readonly name: string; readonly meaning: string }[];
}

export interface Replaceable {
  readonly id: string;
  readonly title: string;
  readonly owns: string;
  /** Absent: the other applications depend on work that it does later. */
  readonly support?: 'promised' | 'possible';
  /** Absent: it has no checks. */
  readonly checks?: Checks;
}

/** All applications: those that a real system can replace come first. */
export const replaceables: readonly Replaceable[] = applicationNames
  .map((id): Replaceable => {
    const suite = suites.find(({ application }) => application === id);
    return {
      ...{ id, title: applications[id].title, owns: applications[id].owns },
      ...(isSwappable(id) && { support: swappable[id] }),
      ...(suite && {
        checks: {
          ids: Object.entries(suite.ids).map(([name, one]) => ({ name, ...one })),
          capabilities: Object.entries(suite.capabilities).map(([name, meaning]) => ({ name, meaning })),
        },
      }),
    };
  })
  .toSorted((one, other) => placeOf(one) - placeOf(other));

function placeOf({ id, support, checks }: Replaceable): number {
  if (support === undefined) return 1_000;
  return (checks ? 0 : support === 'promised' ? 100 : 200) + Object.keys(swappable).indexOf(id);
}
