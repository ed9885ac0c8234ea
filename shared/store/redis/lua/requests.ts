import { lua } from './lua.ts';

/** Claims of requests with an idempotency key. */
export const requestScripts = {
  claim: lua`
if not exists() then return gone() end
local app, name, fingerprint, at, leaseMs, token = arg(), arg(), arg(), arg(), arg(), arg()
forgetClaims(app, at)
local found = readClaim(app, name)
if found and found.keep ~= '' and tonumber(at) < tonumber(found.keep) then
  if found.fingerprint == fingerprint then return { 'done', found.json } end
  return { 'other-body' }
end
if found and found.token == token then return { 'ours', found.since, found.held } end
if found and found.token ~= '' and wall() < tonumber(found.till) then
  if found.fingerprint ~= fingerprint then return { 'other-body' } end
  return { 'running', int(tonumber(found.till) - wall()) }
end
-- A released or abandoned claim of the same request keeps its first instant, so that the request mints the same ids.
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
