import { asSentence } from '../../fixtures/checked-file.ts';
import { members } from '../../fixtures/files.ts';
import { DataRefused, type FixtureSet } from '../../fixtures/load.ts';
import type { OwnData } from '../../shared/catalog/control/own-data.ts';
import type { FieldError } from '../../shared/catalog/problems.ts';
import { pointerTo, validationFailed } from '../../shared/contract/validation.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { MOST_COMPARED, unknownWord } from '../../shared/domain/nearest-word.ts';

/** Credentials of a rehearsal are made when it is created. */
const own = members.filter((member) => member !== 'credentials');

/** The initial data of a world, changed by its own data. @throws Problem validation_failed with all mistakes */
export async function withOwnData(
  fixtures: FixtureSet,
  data: OwnData,
  { now, breathe }: { readonly now: number; readonly breathe: Breathe },
): ReturnType<FixtureSet['with']> {
  const isOwn = (member: string): boolean => own.some((known) => known === member);
  const unknown = Object.keys(data).filter((member) => !isOwn(member));
  const errors: FieldError[] = unknown.map((member, place) => ({
    pointer: pointerTo('body', ['data', member]),
    code: 'unknown_member',
    detail:
      member === 'credentials'
        ? 'Data cannot set credentials: the answer of this request has new ones. Leave this member out.'
        : place < MOST_COMPARED
          ? unknownWord('file of data named', member, own)
          : 'This member is unknown.',
  }));
  try {
    const known = Object.fromEntries(Object.entries(data).filter(([member]) => isOwn(member)));
    const changed = await fixtures.with(known, now, breathe);
    if (errors.length === 0) return changed;
  } catch (error) {
    if (!(error instanceof DataRefused)) throw error;
    errors.push(...error.mistakes.map(({ place, code, reason }) => ({ pointer: place, code, detail: asSentence(reason) })));
  }
  throw validationFailed(errors);
}
