export interface Finding {
  readonly what: string;
  /** `note`: nothing is wrong, but a feature cannot be used. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly found: string;
  readonly remedy?: string;
}

export const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found });
export const note = (what: string, found: string, remedy?: string): Finding => ({ what, state: 'note', found, remedy });
export const problem = (what: string, found: string, remedy: string): Finding => ({ what, state: 'problem', found, remedy });
