import { isCutOff } from './live.ts';
import { busy } from './rehearsal.ts';

/** Verbs are off while one runs, and while the gateway is away. */
const verbsOff = (): boolean => busy.value !== undefined || isCutOff();

/** For `aria-disabled`: a button that is disabled loses the focus of whoever pressed it. */
export const offState = (): 'true' | undefined => (verbsOff() ? 'true' : undefined);

/** The action of a button that does nothing while verbs are off. */
export const unlessOff = (run: () => void) => (): void => {
  if (!verbsOff()) run();
};
