import { byId } from './elements.js';

/** Keeps the tab order equal to the visual order: in a narrow window the forms come before the cases. */
export function placeRail() {
  const narrow = matchMedia('(max-width: 60rem)');
  const place = () => {
    const rail = byId('rail');
    if (narrow.matches) rail.parentElement.append(rail);
    else rail.parentElement.prepend(rail);
  };
  narrow.addEventListener('change', place);
  place();
}
