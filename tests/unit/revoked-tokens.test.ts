import { expect, test } from '@jest/globals';
import { RevokedTokens } from '../../shared/store/memory/revoked-tokens.ts';

test('Expired tokens are forgotten though a token that ends later was revoked before them', () => {
  const tokens = new RevokedTokens();
  tokens.revoke('long', 1_000_000, 0);
  for (let now = 1; now <= 1_000; now++) tokens.revoke(`short-${now}`, now + 10, now);
  expect(tokens.size).toBeLessThanOrEqual(40);
  expect(['long', 'short-1', 'short-990', 'short-991'].map((id) => tokens.has(id, 1_000))).toEqual([true, false, false, true]);
});

test('A world keeps its revoked tokens until they end, and forgets all of them within as many revocations', () => {
  const tokens = new RevokedTokens();
  for (let n = 0; n < 1_000; n++) tokens.revoke(`early-${n}`, 50, 0);
  expect([tokens.size, tokens.has('early-0', 49), tokens.has('early-999', 49)]).toEqual([1_000, true, true]);
  for (let n = 0; n < 1_002; n++) tokens.revoke(`late-${n}`, 500, 100);
  expect([tokens.size, tokens.has('early-0', 100), tokens.has('late-0', 100)]).toEqual([1_002, false, true]);
});
