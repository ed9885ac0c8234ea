import { CLAIM_BYTES, CLAIM_KEPT_MS, CLAIMS_FORGOTTEN } from '../../ports/plan.ts';
import { lua } from './lua.ts';

/** Claims of requests with an idempotency key. */
export const CLAIM_RECORDS = lua`
local CLAIM_KEPT_MS, CLAIMS_FORGOTTEN = ${CLAIM_KEPT_MS}, ${CLAIMS_FORGOTTEN}
-- The size of an ended claim. Unfinished claims do not count.
local function bytesOfClaim(claim) return claim.token == '' and ${CLAIM_BYTES} + #claim.json or 0 end
local function rememberedTo(claim) return claim.keep ~= '' and claim.keep or int(tonumber(claim.since) + CLAIM_KEPT_MS) end
local function readClaim(app, name)
  local stored = redis.call('HGET', key(app .. ':idem'), name)
  if not stored then return nil end
  local fingerprint, since, held, token, till, keep, json = string.match(stored, SEVEN)
  local claim = { fingerprint = fingerprint, since = since, held = held, token = token, till = till, keep = keep, json = json }
  claim.rememberedTo = rememberedTo(claim)
  return claim
end
local function writeClaim(app, name, claim)
  local fields = { claim.fingerprint, claim.since, claim.held, claim.token, claim.till, claim.keep, claim.json }
  redis.call('HSET', writable(app, 'idem'), name, table.concat(fields, '\n'))
  local to = rememberedTo(claim)
  if to ~= claim.rememberedTo then redis.call('ZADD', writable(app, 'claims'), to, name) end
  noteKeys()
end
-- Whether a request made the claim within a day of wall time.
local function isRecentClaim(claim) return wall() < tonumber(claim.till) + CLAIM_KEPT_MS end
-- Forgets outdated claims, a limited number at a time. Claims after a recent one are recent too.
local function forgetClaims(app, at)
  local over = redis.call('ZRANGEBYSCORE', key(app .. ':claims'), '-inf', at, 'LIMIT', 0, CLAIMS_FORGOTTEN)
  for _, name in ipairs(over) do
    local claim = readClaim(app, name)
    if claim and isRecentClaim(claim) then return end
    if claim then addBytes(-bytesOfClaim(claim)) end
    redis.call('HDEL', key(app .. ':idem'), name)
    redis.call('ZREM', key(app .. ':claims'), name)
  end
end
`;

/** Claims of requests with an idempotency key. */
export const requestScripts = {
  claim: lua`
if not exists() then return gone() end
local app, name, fingerprint, at, leaseMs, token = arg(), arg(), arg(), arg(), arg(), arg()
forgetClaims(app, at)
local found = readClaim(app, name)
if found and found.keep ~= '' and (tonumber(at) < tonumber(found.keep) or isRecentClaim(found)) then
  if found.fingerprint == fingerprint then return { 'done', found.json } end
  return { 'other-body' }
end
if found and found.token == token then return { 'ours', found.since, found.held } end
if found and found.token ~= '' and wall() < tonumber(found.till) then
  if found.fingerprint ~= fingerprint then return { 'other-body' } end
  return { 'running', int(tonumber(found.till) - wall()) }
end
-- What the earlier request committed must be finished by a repeat of it, so the key stays with its content.
if found and found.keep == '' and found.held ~= '0' and found.fingerprint ~= fingerprint then return { 'other-body' } end
-- A released or abandoned claim of the same request keeps its first instant, so that the request creates the same ids.
local same = found and found.keep == '' and found.fingerprint == fingerprint
if found then addBytes(-bytesOfClaim(found)) end
local claim = { fingerprint = fingerprint, since = same and found.since or at, held = same and found.held or '0', token = token }
claim.till, claim.keep, claim.json = int(wall() + tonumber(leaseMs)), '', ''
writeClaim(app, name, claim)
return { 'ours', claim.since, claim.held }`,

  release: lua`
if not exists() then return gone() end
local app, name, token = arg(), arg(), arg()
local claim = readClaim(app, name)
if not claim or claim.token ~= token then return 0 end
claim.token = ''
addBytes(bytesOfClaim(claim))
writeClaim(app, name, claim)
return 1`,
} as const;
