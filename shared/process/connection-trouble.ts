import { errorMessage } from '../domain/text.ts';

/** Reasons for a missing answer. The text follows the address in a sentence. */
interface ConnectionTrouble {
  readonly words: string;
  /** The reason in the words of the system or a library, for the log. */
  readonly code: string;
  /** Whether there was a connection, which broke or brought no answer. */
  readonly isBroken: boolean;
}

const LATE = 'it does not answer in time';
export const CLOSED = 'the connection was closed';
const NO_ROUTE = 'the network has no route to it';
export const DISTRUSTED = 'its certificate is not trusted';
export const NOT_TLS = 'it does not use TLS';

const NOT_CONNECTED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'this name is unknown',
  EAI_AGAIN: 'this name cannot be looked up',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  ETIMEDOUT: LATE,
  UND_ERR_CONNECT_TIMEOUT: LATE,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: DISTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: DISTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: DISTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
};

const BROKEN: Readonly<Record<string, string>> = {
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_CLOSED: CLOSED,
  UND_ERR_DESTROYED: CLOSED,
  UND_ERR_HEADERS_TIMEOUT: LATE,
  UND_ERR_BODY_TIMEOUT: LATE,
};

/** Reasons by message, for libraries whose errors have no code. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/\btimed out\b|\btimeout\b/i, LATE],
  [/\bclosed\b|\bhang up\b|\bterminated\b|\bdisconnected\b/i, CLOSED],
];

interface LibraryError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** @returns undefined for an error that has nothing to do with a connection */
export function connectionTrouble(error: unknown): ConnectionTrouble | undefined {
  const { code, message, cause, errors = [] }: LibraryError = typeof error === 'object' && error !== null ? error : { message: error };
  const text = typeof message === 'string' ? message : '';
  const codes = [code, ...(text.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? [])].filter((one) => typeof one === 'string');
  for (const one of codes) {
    if (Object.hasOwn(NOT_CONNECTED, one)) return { words: NOT_CONNECTED[one] ?? '', code: one, isBroken: false };
    if (Object.hasOwn(BROKEN, one)) return { words: BROKEN[one] ?? '', code: one, isBroken: true };
    if (one.startsWith('HPE_')) return { words: 'it does not answer HTTP', code: one, isBroken: true };
  }
  for (const inner of [...errors, cause]) {
    const found = inner === undefined ? undefined : connectionTrouble(inner);
    if (found) return found;
  }
  return undefined;
}

/** Whether no connection was made, so that nothing was sent. `ETIMEDOUT` is ambiguous: an existing connection may end with it, too. */
export function didNotConnect(error: unknown): boolean {
  const trouble = connectionTrouble(error);
  return trouble !== undefined && !trouble.isBroken && trouble.code !== 'ETIMEDOUT';
}

/** As `connectionTrouble`, by the message, for a library whose errors have no code. */
export function troubleInWords(error: unknown): string | undefined {
  const said = errorMessage(error);
  return connectionTrouble(error)?.words ?? SAID.find(([pattern]) => pattern.test(said))?.[1];
}
