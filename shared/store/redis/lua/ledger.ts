import { lua } from './lua.ts';

/** The ledger of outstanding work. */
export const ledgerScripts = {
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
} as const;
