import { DELIVER_AGAIN, MOST_PASSED, PUBLISH_WITHHELD_EVENT } from '../../ports/due-work.ts';
import { lua } from './lua.ts';

/** Due records, their queue and their runs. */
export const DUE_ITEMS = lua`
local PUBLISH_WITHHELD_EVENT, DELIVER_AGAIN = '${PUBLISH_WITHHELD_EVENT}', '${DELIVER_AGAIN}'
local MOST_PASSED = ${MOST_PASSED}

-- Records that a script has read in one command.
local dueRecords = {}
local function loadDue(names)
  for i, stored in ipairs(readWith('HMGET', key('due'), names)) do dueRecords[names[i]] = stored end
end
local function readDue(name)
  local stored = dueRecords[name]
  if stored == nil then stored = redis.call('HGET', key('due'), name) end
  if not stored then return nil end
  local at, seq, attempts, withheldBy, token, till, rest = string.match(stored, SEVEN)
  local tries, awaits = string.match(attempts, '^(%d*) ?(.*)$')
  return { name = name, at = at, seq = seq, attempts = tries, awaits = awaits, withheldBy = withheldBy, token = token, till = till, rest = rest, stored = stored }
end
-- The kind and key under which an item is parked.
local function parkedAs(name)
  local app, kind, id = string.match(name, '^([^|]*)|([^|]*)|(.*)$')
  if kind == DELIVER_AGAIN then return 'delivery', app .. '|' .. id end
  return 'due', name
end
-- A retry removes the work from the list of parked work.
local function unpark(name)
  local what, id = parkedAs(name)
  redis.call('ZREM', key('parked'), what .. '|' .. id)
  redis.call('HDEL', key('parkings'), what .. '|' .. id)
end
local function inQueue(due) return padded(tonumber(due.seq)) .. '|' .. due.name end
-- Removes an item from the lists. An item whose lease has expired is in the queue again.
local function delist(due)
  if due.token == '' or redis.call('ZREM', key('running'), due.name) == 0 then redis.call('ZREM', key('queue'), inQueue(due)) end
  if due.withheldBy ~= '' then redis.call('ZREM', key('kept'), due.name) end
  if due.awaits ~= '' then
    redis.call('ZREM', key('awaiting'), due.name)
    unpark(due.name)
  end
end
local function deleteDue(due)
  redis.call('HDEL', key('due'), due.name)
  dueRecords[due.name] = false
  delist(due)
end
local function removeDue(name)
  local due = readDue(name)
  if due then deleteDue(due) end
end
-- Enters an item, free or leased. The lists have no item of its name.
local function enterDue(due)
  local attempts = due.awaits == '' and due.attempts or due.attempts .. ' ' .. due.awaits
  local fields = { due.at, due.seq, attempts, due.withheldBy, due.token, due.till, due.rest }
  local stored = table.concat(fields, '\n')
  redis.call('HSET', key('due'), due.name, stored)
  dueRecords[due.name] = stored
  if due.withheldBy ~= '' then redis.call('ZADD', key('kept'), due.seq, due.name) end
  if due.awaits ~= '' then redis.call('ZADD', key('awaiting'), due.seq, due.name) end
  if due.token == '' then redis.call('ZADD', key('queue'), due.at, inQueue(due))
  else redis.call('ZADD', key('running'), due.till, due.name) end
end
local function putDue(due)
  local before = readDue(due.name)
  if before then delist(before) end
  enterDue(due)
end
-- A run that the clock started continues when its item is cancelled or replaced.
local function endRun(token, name) return redis.call('ZREM', key('runs'), token .. '|' .. name) == 1 end
local function replacedRuns()
  local found = {}
  for _, run in ipairs(redis.call('ZRANGEBYSCORE', key('runs'), '(' .. wall(), '+inf')) do
    local token, name = string.match(run, '^([^|]*)|(.*)$')
    local due = readDue(name)
    if not due or due.token ~= token then found[#found + 1] = name end
  end
  return found
end
-- The wait until an item may begin; QUIET when it is cancelled (nil), or when only a change of the clock begins it.
local function waitFor(due)
  if not due then return QUIET end
  local at, isFlowing = readClock()
  local wait = tonumber(due.at) - at
  if wait > 0 and not isFlowing then return QUIET end
  return math.max(0, wait, tonumber(due.till) - wall())
end
-- Enters a DueValue of formats.ts, or cancels it. A fault withholds nothing when it was deleted, or set anew after withheldAt.
-- @return the entered item; nil: it is cancelled
local function schedule(item)
  if not item.at then return removeDue(item.name) end
  local at, withheldBy, till = item.at, item.withheldBy or '', '0'
  if item.withheldBy then
    local since = redis.call('HGET', key('since'), item.withheldBy)
    if not since or (item.withheldAt and tonumber(since) > item.withheldAt) then at, withheldBy = math.min(at, now()), '' end
  end
  if item.lease then till = int(wall() + item.lease.ms) end
  local due = {
    name = item.name,
    at = int(at),
    seq = int(count('dueSeq')),
    attempts = int(item.attempts),
    awaits = item.awaits or '',
    withheldBy = withheldBy,
    token = item.lease and item.lease.token or '',
    till = till,
    rest = longText(item.rest),
  }
  putDue(due)
  return due
end
-- Makes the free items that await an application due; with an empty name, the items that await any application.
local function wake(application)
  for _, name in ipairs(redis.call('ZRANGE', key('awaiting'), 0, -1)) do
    local due = readDue(name)
    if due and due.token == '' and (application == '' or due.awaits == application) then
      due.awaits, due.attempts, due.at = '', '0', int(math.min(tonumber(due.at), now()))
      putDue(due)
    end
  end
end
-- After its lease has expired, a driver may still finish an item until another one leases it.
local function queueExpired()
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', key('running'), '-inf', wall())) do
    redis.call('ZREM', key('running'), name)
    local due = readDue(name)
    if due then redis.call('ZADD', key('queue'), due.at, inQueue(due)) end
  end
end
-- Items that carry events run one at a time per application and kind.
local function turnOf(name)
  local app, kind = string.match(name, '^([^|]*)|([^|]*)|')
  if kind == PUBLISH_WITHHELD_EVENT or kind == DELIVER_AGAIN then return app .. '|' .. kind end
end
-- The lowest free item that is due up to an instant and whose turn it is.
local function lowest(upTo)
  queueExpired()
  local turns, from, many = nil, 0, 1
  while from < MOST_PASSED do
    local some = redis.call('ZRANGEBYSCORE', key('queue'), '-inf', upTo, 'LIMIT', from, many)
    for _, member in ipairs(some) do
      local name = string.sub(member, 18)
      local turn = turnOf(name)
      if turn and not turns then
        turns = {}
        for _, running in ipairs(redis.call('ZRANGE', key('running'), 0, -1)) do turns[turnOf(running) or ''] = true end
      end
      if not turn or not turns[turn] then return readDue(name) end
    end
    if #some < many then return nil end
    from, many = from + many, 50
  end
  return nil
end
-- Makes the items that a fault withholds due; with an empty name, the items of every fault.
local function releaseWithheld(fault)
  for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
    local due = readDue(name)
    if due and (fault == '' or due.withheldBy == fault) then
      due.withheldBy = ''
      due.at = int(math.min(tonumber(due.at), now()))
      putDue(due)
    end
  end
end

-- Parks work. Due work keeps its item for a redrive. The entry replaces one of the same kind and name.
local function park(what, name, error, rest)
  local member = what .. '|' .. name
  redis.call('ZADD', key('parked'), count('parkSeq'), member)
  redis.call('HSET', key('parkings'), member, int(now()) .. '\n' .. error .. '\n' .. rest)
end
`;
