// A new member of the loyalty programme gets 100 points of welcome.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();

/** Tries a call up to four times. */
async function post(path, body) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${ESTATE_URL}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${ESTATE_BEARER_TOKEN}`,
        'X-Rehearsal': ESTATE_REHEARSAL,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(4_000),
    }).catch(() => undefined);
    if (response?.ok) return response.json();
    const mayPass = response === undefined || response.status >= 500 || response.status === 429;
    if (attempt === 4 || !mayPass) throw new Error(`POST ${path}: ${response?.status ?? 'no answer'}`);
    await pause(100 * attempt);
  }
}

await post('/loyalty/accounts/loy_ada/points', { points: 100, reason: 'welcome' });
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ issued: 100 }));
