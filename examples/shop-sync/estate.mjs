// Calls of the estate.
const { ESTATE_URL = 'http://127.0.0.1:8080', ESTATE_TOKEN = 'demo-integration-token', REHEARSAL = 'default' } = process.env;

/** @throws what the estate refuses */
export async function estate(method, path, body) {
  const sent = fetch(ESTATE_URL + path, {
    method,
    headers: { Authorization: `Bearer ${ESTATE_TOKEN}`, 'X-Rehearsal': REHEARSAL, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const response = await sent.catch(() => {
    throw new Error(
      `${method} ${path} has no answer from ${ESTATE_URL}. Start the estate with npm start, or set ESTATE_URL to its address.`,
    );
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`The estate refuses ${method} ${path}: ${answer.detail} (${answer.code})`);
  return answer;
}
