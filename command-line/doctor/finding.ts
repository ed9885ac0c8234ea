/** What the doctor found about one thing. */
export interface Finding {
  readonly what: string;
  /** `note`: nothing is wrong, and something cannot be used. */
  readonly state: 'ok' | 'note' | 'problem';
  /** What is so. */
  readonly found: string;
  /** What to do about a problem. */
  readonly remedy?: string;
}

export const ok = (what: string, found: string): Finding => ({ what, state: 'ok', found });
export const note = (what: string, found: string, remedy?: string): Finding => ({
  what,
  state: 'note',
  found,
  remedy,
});
export const problem = (what: string, found: string, remedy: string): Finding => ({ what, state: 'problem', found, remedy });
