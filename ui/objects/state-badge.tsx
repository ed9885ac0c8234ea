import type { StateKind } from '../../shared/catalog/state-kinds.ts';
import { Glyph, KIND_TONES } from '../kit/state.tsx';
import { stateKinds } from './catalog.ts';

/** The kind of a state of an object. Undefined for a state that the catalog does not list. */
export const kindOf = (type: string, state: string | undefined): StateKind | undefined =>
  state === undefined ? undefined : stateKinds[type]?.[state];

/** A state in the title of a page. */
export const StateBadge = ({ type, state }: { type: string; state: string }) => {
  const kind = kindOf(type, state);
  return (
    <span class={`badge ${kind ? KIND_TONES[kind] : ''}`}>
      {kind && <Glyph kind={kind} />}
      {state}
    </span>
  );
};
