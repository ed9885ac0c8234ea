import { linkHere, type Output } from '../data/data.ts';
import { State } from '../kit/state.tsx';
import { kindOf } from '../objects/state-badge.tsx';
import css from './timelines.module.css';

type Lived = Output<'read-timeline'>['objects'][number];

/** Most objects in the list. */
const MOST = 30;

/** The states of the object and of its related objects at an instant. @param at epoch milliseconds */
export function StatesAt({ objects, at }: { objects: readonly Lived[]; at: number }) {
  const known = objects.flatMap((one) => {
    const reached = one.states.findLast((state) => Date.parse(state.at) <= at);
    return reached ? [{ ...one, state: reached.state }] : [];
  });
  const later = objects.length - known.length;
  return (
    <>
      <ul class={`lined ${css.states}`} aria-label="States at the clock line">
        {known.slice(0, MOST).map(({ type, id, name, state }) => (
          <li key={`${type}/${id}`}>
            <a class="brk" href={linkHere('objects', type, id)} title={`${type}/${id}`}>
              {name}
            </a>
            <State kind={kindOf(type, state)}>{state}</State>
          </li>
        ))}
      </ul>
      {known.length > MOST && <p class="in muted small">And {known.length - MOST} more objects.</p>}
      {known.length === 0 && <p class="in muted small">None of its objects existed yet.</p>}
      {known.length > 0 && later > 0 && (
        <p class="in muted small">{later === 1 ? 'One object has' : `${later} objects have`} no state at that instant.</p>
      )}
    </>
  );
}
