import { signal } from '@preact/signals';

const narrowWindow = matchMedia('(max-width: 60rem)');
/** Whether the window has no room for columns. */
export const isNarrow = signal(narrowWindow.matches);
narrowWindow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches;
});
