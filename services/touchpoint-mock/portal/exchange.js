/**
 * Sends a request to the mock, through the portal.
 *
 * @returns the `answer`, or why there is none: `failure` is `not-sendable`, `stopped` or `unreachable`
 */
export async function exchange({ path, headers, body, signal }) {
  let prepared;
  try {
    prepared = new Headers(headers);
  } catch {
    return { failure: 'not-sendable' };
  }
  try {
    const response = await fetch(`mock${path}`, { method: 'POST', headers: prepared, body, signal });
    const text = await response.text();
    return { answer: { status: response.status, reason: response.statusText, headers: [...response.headers], text } };
  } catch {
    return { failure: signal?.aborted ? 'stopped' : 'unreachable' };
  }
}
