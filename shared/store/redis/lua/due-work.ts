import { BACKOFF_MS, PROBE_MS } from '../../ports/due-work.ts';
import { lua } from './lua.ts';

/** Due work: leases, rescheduling, parking, redriving. */
export const dueWorkScripts = {
  due: lua`
local due = readDue(arg())
return due and due.token == arg() and due.stored or false`,

  scheduled: lua`
if not exists() then return gone() end
local found = {}
while position < #ARGV do found[#found + 1] = redis.call('HGET', key('due'), arg()) or nil end
return found`,

  releaseDue: lua`
if not exists() then return 0 end
local name, token = arg(), arg()
local due = readDue(name)
local wasRunning, isHeld = endRun(token, name), due and due.token == token
if isHeld then
  due.token, due.till = '', '0'
  putDue(due)
end
if isHeld or wasRunning then changed() end
return isHeld and 1 or 0`,

  leaseNext: lua`
if not exists() then return gone() end
local operation, upTo, token, leaseMs, advancing = arg(), arg(), arg(), arg(), arg()
local taken = resultOf(operation)
if taken then return taken end
if not mayDrive(advancing) then return '' end
local due = lowest(upTo)
if not due then return '' end
due.token, due.till = token, int(wall() + tonumber(leaseMs))
putDue(due)
redis.call('ZREMRANGEBYSCORE', key('runs'), '-inf', wall())
redis.call('ZADD', key('runs'), due.till, token .. '|' .. due.name)
return remember(operation, due.stored)`,

  requeue: lua`
if not exists() then return gone() end
local name, token, at, attempts, error, awaits = arg(), arg(), arg(), arg(), arg(), arg()
local due = readDue(name)
local wasRunning = endRun(token, name)
if not due or due.token ~= token then
  if wasRunning then changed() end
  return 0
end
local awaited, what, id = due.awaits, parkedAs(name)
removeDue(name)
due.awaits, due.token, due.till = awaits, '', '0'
if what == 'delivery' and not redis.call('ZSCORE', key('pending'), id) then
  -- It has been consumed.
elseif at ~= '' then
  due.at, due.attempts = at, attempts
  enterDue(due)
elseif awaits ~= '' then
  due.at, due.attempts = int(now() + ${PROBE_MS}), '${BACKOFF_MS.length}'
  enterDue(due)
  park(what, id, error, '')
else
  if what == 'delivery' then redis.call('ZREM', key('pending'), id) end
  park(what, id, error, what == 'due' and due.rest or '')
end
if awaited ~= '' and awaits == '' then wake(awaited) end
changed()
return 1`,

  // Makes the work that awaits an application due, in the current world of a rehearsal (KEYS[1]).
  noteReturn: lua`
local id = redis.call('HGET', KEYS[1], 'ulid')
if not id then return 0 end
root = KEYS[1] .. '~' .. id
if not exists() or redis.call('EXISTS', key('awaiting')) == 0 then return 0 end
wake(arg())
changed()
return 1`,

  // Makes parked work due immediately. Returns, for each, whether it was parked.
  redrive: lua`
if not exists() then return gone() end
local operation = arg()
local done = resultOf(operation)
if done then return done end
local driven = {}
for i = 1, tonumber(arg()) do
  local what, name, delivery, rest = arg(), arg(), arg(), arg()
  local member = what .. '|' .. name
  local parking = redis.call('HGET', key('parkings'), member)
  driven[i] = parking and '1' or '0'
  if parking then
    redis.call('ZREM', key('parked'), member)
    redis.call('HDEL', key('parkings'), member)
    local dueName = name
    if what == 'delivery' then
      dueName = delivery
      redis.call('ZADD', key('pending'), 'NX', count('owedSeq'), name)
    else
      rest = string.match(parking, '^[^\n]*\n[^\n]*\n(.*)$')
    end
    local due = readDue(dueName)
    if not due then
      enterDue({ name = dueName, at = int(now()), seq = int(count('dueSeq')), attempts = '${BACKOFF_MS.length}', awaits = '', withheldBy = '', token = '', till = '0', rest = rest })
    elseif due.awaits ~= '' then
      -- Work that awaits an application stays scheduled while it is parked.
      due.at = int(now())
      putDue(due)
    end
  end
end
changed()
return remember(operation, table.concat(driven))`,
} as const;
