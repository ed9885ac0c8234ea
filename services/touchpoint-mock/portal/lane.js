import { parsed } from './json-text.js';

/** Why the mock finds no lane in a body, as the beginning of a sentence; undefined if it finds one. */
export function laneTrouble(body) {
  if (body.trim() === '') return 'The body is empty';
  const value = parsed(body);
  if (value === undefined) return 'The body is not JSON';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'The body is not a JSON object';
  return typeof value.touchpointId === 'string' ? undefined : 'The body has no lane as its touchpointId';
}
