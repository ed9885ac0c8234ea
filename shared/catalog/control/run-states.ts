export const RUN_STATES = ['waiting', 'running', 'passed', 'failed', 'stopped'] as const;

/** Whether a run waits for its turn, or runs. */
export const isOpen = ({ state }: { readonly state: (typeof RUN_STATES)[number] }): boolean => state === 'waiting' || state === 'running';
