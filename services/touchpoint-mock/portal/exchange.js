import { isJson } from './json-text.js';
import { inWords, NO_ANSWER, NOT_SENDABLE } from './plain-words.js';

/** The body of a case, with the lane of the caller. */
export function bodyOf(fixture, caller) {
  return JSON.stringify({ ...fixture.request, touchpointId: caller.current().touchpointId }, null, 2);
}

export function headersFor({ caller, selector }) {
  const { authorization } = caller.current();
  return {
    'Content-Type': 'application/json',
    ...(authorization === null ? {} : { Authorization: authorization }),
    ...(selector === '' ? {} : { 'X-Mock-Case': selector }),
  };
}

/** Sends a request. Without a response, `answer` is missing. */
export async function exchange({ path, headers, body }) {
  let prepared;
  try {
    prepared = new Headers(headers);
  } catch {
    return { words: NOT_SENDABLE };
  }
  try {
    const response = await fetch(`mock${path}`, { method: 'POST', headers: prepared, body });
    const text = await response.text();
    const answer = {
      status: response.status,
      reason: response.statusText,
      headers: [...response.headers],
      text,
      body: isJson(text) ? JSON.parse(text) : undefined,
    };
    return { answer, words: inWords({ status: answer.status, body: answer.body, retryAfter: response.headers.get('Retry-After') }) };
  } catch {
    return { words: NO_ANSWER };
  }
}
