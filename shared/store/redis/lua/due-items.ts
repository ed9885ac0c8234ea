import { DELIVER_AGAIN, MOST_PASSED, PUBLISH_WITHHELD_EVENT } from '../../ports/due-work.ts';
import { lua } from './lua.ts';

/** Due records, their queue and their runs. */
export const DUE_ITEMS = lua`
local PUBLISH_WITHHELD_EVENT, DELIVER_AGAIN = '${PUBLISH_WITHHELD_EVENT}', '${DELIVER_AGAIN}'
local MOST_PASSED = ${MOST_PASSED}

local function readDue(name)
  local stored = redis.call('HGET', key('due'), name)
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
-- Work that is taken up again is not parked any more.
local function unpark(name)
  local what, id = parkedAs(name)
  redis.call('ZREM', key('parked'), what .. '|' .. id)
  redis.call('HDEL', key('parkings'), what .. '|' .. id)
end
local function inQueue(due) return padded(tonumber(due.seq)) .. '|' .. due.name end
local function removeDue(name)
  local due = readDue(name)
  if not due then return end
  redis.call('HDEL', key('due'), name)
  redis.call('ZREM', key('queue'), inQueue(due))
  redis.call('ZREM', key('running'), name)
  redis.call('ZREM', key('kept'), name)
  if due.awaits ~= '' then
    redis.call('ZREM', key('awaiting'), name)
    unpark(name)
  end
end
-- Enters an item, free or leased. No other item has its name.
local function enterDue(due)
  local attempts = due.awaits == '' and due.attempts or due.attempts .. ' ' .. due.awaits
  local fields = { due.at, due.seq, attempts, due.withheldBy, due.token, due.till, due.rest }
  redis.call('HSET', key('due'), due.name, table.concat(fields, '\n'))
  if due.withheldBy ~= '' then redis.call('ZADD', key('kept'), due.seq, due.name) end
  if due.awaits ~= '' then redis.call('ZADD', key('awaiting'), due.seq, due.name) end
  if due.token == '' then redis.call('ZADD', key('queue'), due.at, inQueue(due))
  else redis.call('ZADD', key('running'), due.till, due.name) end
end
local function putDue(due)
  removeDue(due.name)
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
-- The wait until an item may begin; QUIET when it is cancelled, or when only a change of the clock begins it.
local function waitFor(name)
  local due = readDue(name)
  local wait = due and tonumber(due.at) - now()
  if not wait or (wait > 0 and redis.call('HGET', root, 'flowing') ~= '1') then return QUIET end
  return math.max(0, wait, tonumber(due.till) - wall())
end
-- Enters or cancels due work. A fault withholds nothing when it was deleted, or set anew after withheldAt.
local function schedule()
  local name, at, rest, withheldBy, withheldAt, token, leaseMs, attempts, awaits = arg(), arg(), arg(), arg(), arg(), arg(), arg(), arg(), arg()
  removeDue(name)
  if at == '' then return name, '' end
  if withheldBy ~= '' then
    local since = redis.call('HGET', key('since'), withheldBy)
    if not since or (withheldAt ~= '' and tonumber(since) > tonumber(withheldAt)) then
      withheldBy = ''
      at = int(math.min(tonumber(at), now()))
    end
  end
  local till = token == '' and '0' or int(wall() + tonumber(leaseMs))
  enterDue({ name = name, at = at, seq = int(count('dueSeq')), attempts = attempts, awaits = awaits, withheldBy = withheldBy, token = token, till = till, rest = rest })
  return name, awaits
end
-- Makes the free items that await an application due at once; for an empty name, those that await any.
local function wake(application)
  for _, name in ipairs(redis.call('ZRANGE', key('awaiting'), 0, -1)) do
    local due = readDue(name)
    if due and due.token == '' and (application == '' or due.awaits == application) then
      due.awaits, due.attempts, due.at = '', '0', int(math.min(tonumber(due.at), now()))
      putDue(due)
    end
  end
end
-- After its lease expires, a holder may finish an item until someone else leases it.
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
-- Makes the items that a fault withholds due at once; for an empty name, those of every fault.
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
