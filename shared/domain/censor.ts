/** Replaces a secret. Requests that contain it are refused. */
export const CENSOR = '[redacted]';
