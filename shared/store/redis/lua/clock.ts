import { lua } from './lua.ts';

/** A world's clock, its drivers and the ledger of outstanding work. */
export const clockScripts = {
  // Outstanding work of one event: its entry in an outbox, the due work that withholds it, subscribers, and parked deliveries.
  eventWork: lua`
if not exists() then return gone() end
local id, unsent, withheld, pending, parked = arg(), '', '', {}, {}
while position < #ARGV do
  local app = arg()
  local delivery = app .. '|' .. id
  unsent = redis.call('HGET', key(app .. ':entries'), id) or unsent
  local due = readDue(app .. '|' .. PUBLISH_WITHHELD_EVENT .. '|' .. id)
  if due then withheld = due.stored end
  if redis.call('ZSCORE', key('pending'), delivery) then pending[#pending + 1] = app end
  local parking = redis.call('HGET', key('parkings'), 'delivery|' .. delivery)
  if parking then
    parked[#parked + 1] = app
    parked[#parked + 1] = parking
  end
end
return { unsent, withheld, pending, parked }`,

  // Outstanding work: the first entries of each list, and their numbers.
  ledger: lua`
if not exists() then return gone() end
queueExpired()
local limit = arg()
local last = limit == '' and -1 or tonumber(limit) - 1
local function first(name) return redis.call('ZRANGE', key(name), 0, last) end
local function records(names, name)
  local found = {}
  for i, member in ipairs(names) do found[i] = redis.call('HGET', key(name), member) end
  return found
end
local unsent, unsentCount = {}, 0
for _, app in ipairs(redis.call('SMEMBERS', key('unsent'))) do
  unsentCount = unsentCount + redis.call('ZCARD', key(app .. ':outbox'))
  for _, id in ipairs(first(app .. ':outbox')) do unsent[#unsent + 1] = app .. '|' .. id end
end
-- Deliveries of withheld events are not pending until the events are released.
local isWithheld, isAnyUnlisted = {}, false
for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
  local kind, id = string.match(name, '^[^|]*|([^|]*)|(.*)$')
  if kind == PUBLISH_WITHHELD_EVENT then isWithheld[id], isAnyUnlisted = true, true end
end
-- Postponed deliveries are not listed either.
local awaiting = redis.call('ZRANGE', key('awaiting'), 0, -1)
local isPostponed = {}
for _, name in ipairs(awaiting) do
  local what, delivery = parkedAs(name)
  if what == 'delivery' then isPostponed[delivery], isAnyUnlisted = true, true end
end
local pending, pendingCount
if isAnyUnlisted then
  pending, pendingCount = {}, 0
  for _, delivery in ipairs(redis.call('ZRANGE', key('pending'), 0, -1)) do
    if not isPostponed[delivery] and not isWithheld[string.match(delivery, '^[^|]*|(.*)$')] then
      pendingCount = pendingCount + 1
      if limit == '' or pendingCount <= tonumber(limit) then pending[pendingCount] = delivery end
    end
  end
else
  pending, pendingCount = first('pending'), redis.call('ZCARD', key('pending'))
end
local parked = first('parked')
local next = lowest('+inf')
local running, replaced = first('running'), replacedRuns()
for _, name in ipairs(replaced) do
  if limit == '' or #running < tonumber(limit) then running[#running + 1] = name end
end
return {
  unsent,
  pending,
  running,
  parked,
  records(parked, 'parkings'),
  records(first('kept'), 'due'),
  records(first('awaiting'), 'due'),
  { unsentCount, pendingCount, redis.call('ZCARD', key('running')) + #replaced, redis.call('ZCARD', key('parked')), redis.call('ZCARD', key('kept')) },
  next and next.stored or '',
}`,

  // State of the clock of a current world; empty for any other. A clock that a dead driver stopped flows again.
  status: lua`
local rehearsal, id = string.match(KEYS[1], '^(.*)~([^~]*)$')
if redis.call('HGET', rehearsal, 'ulid') ~= id or not exists() then return {} end
local held, advancing = driver()
if held and not advancing then endAdvance() end
local next = lowest('+inf')
return {
  int(now()),
  redis.call('HGET', root, 'flowing'),
  advancing and '1' or '0',
  redis.call('ZCARD', key('running')) + #replacedRuns(),
  next and next.stored or '',
}`,

  setClock: lua`
if not exists() then return gone() end
local operation, at, flowing, token = arg(), arg(), arg(), arg()
local done = resultOf(operation)
if done then return done end
if not mayDrive(token) then return remember(operation, '0') end
if token == '' then redis.call('HDEL', root, 'driver', 'flowed') end
redis.call('HSET', root, 'flowing', flowing, 'clock', flowing == '1' and int(tonumber(at) - wall()) or at)
changed()
return remember(operation, '1')`,

  // Stops the clock. Stores whether it flowed, so that it flows again when the lease ends.
  leaseClock: lua`
if not exists() then return gone() end
local token, ms = arg(), arg()
local held, running = driver()
if held and held ~= token and running then return 0 end
if not held then
  local at = int(now())
  redis.call('HSET', root, 'flowed', redis.call('HGET', root, 'flowing'), 'flowing', '0', 'clock', at)
end
redis.call('HSET', root, 'driver', lease(ms, token))
changed()
return 1`,

  // A list of the newest moves, newest first. The number of the newest is a count of the world.
  addMove: lua`
if not exists() then return gone() end
local operation, move, most = arg(), arg(), tonumber(arg())
local done = resultOf(operation)
if done then return done end
local number = count('moveSeq')
redis.call('LPUSH', key('moves'), move)
redis.call('LTRIM', key('moves'), 0, most - 1)
changed(QUIET)
return remember(operation, int(number))`,

  // The number of the first move of the answer, and the moves before a number, newest first.
  moves: lua`
if not exists() then return gone() end
local newest = tonumber(redis.call('HGET', root, 'moveSeq') or '0')
local before, limit = tonumber(arg()) or newest + 1, tonumber(arg())
local first = math.max(0, newest + 1 - before)
return { newest - first, redis.call('LRANGE', key('moves'), first, first + limit - 1) }`,

  // A list of the newest operations, newest first. The number of the newest is a count of the world.
  addOperation: lua`
if not exists() then return gone() end
local operation, record, most = arg(), arg(), tonumber(arg())
local done = resultOf(operation)
if done then return done end
local number = count('operationSeq')
redis.call('LPUSH', key('operations'), record)
redis.call('LTRIM', key('operations'), 0, most - 1)
return remember(operation, int(number))`,

  operations: lua`
if not exists() then return gone() end
return { tonumber(redis.call('HGET', root, 'operationSeq') or '0'), redis.call('LRANGE', key('operations'), 0, -1) }`,

  renewClock: lua`
local token, ms = arg(), arg()
if driver() ~= token then return 0 end
redis.call('HSET', root, 'driver', lease(ms, token))
return 1`,

  releaseClock: lua`
if driver() == arg() then endAdvance() end
return 1`,
} as const;
