import { signal } from '@preact/signals';
import { config } from './config.ts';
import { CONTROL, OF_REHEARSAL } from './session-keys.ts';

/** Credentials that only the answer of create-rehearsal shows. */
export interface RehearsalCredentials {
  readonly bearer: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly webhookUrl: string;
}

/** The bearer of the control plane; undefined until somebody signs in. */
export const bearer = signal<string | undefined>(undefined);
/** Why the credential was refused. */
export const refusedBecause = signal<string | undefined>(undefined);

/** Takes the credential of this tab, or the public one of a demonstration. */
export function openSession(): void {
  const kept = sessionStorage.getItem(CONTROL);
  if (kept !== null) signIn(kept);
  else bearer.value = config().demo?.control;
}

/** Visible ASCII: a header carries nothing else, and a request with more would fail without an answer. */
const IN_A_HEADER = /^[\x21-\x7e]+$/;

export function signIn(credential: string): void {
  if (!IN_A_HEADER.test(credential)) {
    signOut('it has a blank or a character that no header can carry. Copy it again.');
    return;
  }
  sessionStorage.setItem(CONTROL, credential);
  refusedBecause.value = undefined;
  bearer.value = credential;
}

export function signOut(because?: string): void {
  sessionStorage.removeItem(CONTROL);
  refusedBecause.value = because;
  bearer.value = undefined;
}

/** Keeps the credentials of a rehearsal that this tab created. */
export const rememberCredentials = (rehearsal: string, credentials: RehearsalCredentials): void =>
  sessionStorage.setItem(OF_REHEARSAL + rehearsal, JSON.stringify(credentials));

export const forgetCredentials = (rehearsal: string): void => sessionStorage.removeItem(OF_REHEARSAL + rehearsal);

export function credentialsOf(rehearsal: string): RehearsalCredentials | undefined {
  const kept = sessionStorage.getItem(OF_REHEARSAL + rehearsal);
  return kept === null ? undefined : (JSON.parse(kept) as RehearsalCredentials);
}
