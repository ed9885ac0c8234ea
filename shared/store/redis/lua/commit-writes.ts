import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** The writes of a plan that passed every check. */
export const WRITES = lua`
-- @return the place of each object in the order of creation, by its path; the bytes that the objects add
local function writeObjects(app, put)
  local orders, bytes = {}, 0
  for _, one in ipairs(put) do
    local path = one.collection .. '\0' .. one.id
    local order = one.order or orders[path]
    if not order then
      order = int(count('order'))
      redis.call('ZADD', writable(app, 'a:' .. one.collection), order, one.id)
    end
    orders[path] = order
    local record = int(one.version) .. ' ' .. order .. ' ' .. longText(one.json)
    redis.call('HSET', writable(app, 'o:' .. one.collection), '${PRESENT}', '', one.id, record)
    bytes = bytes + #record - one.length
  end
  return orders, bytes
end

local function writeUniques(app, unique)
  for _, one in ipairs(unique) do
    local values = writable(app, 'u:' .. one.collection .. '.' .. one.name)
    if one.was and redis.call('HGET', values, one.was) == one.id then redis.call('HDEL', values, one.was) end
    if one.value then redis.call('HSET', values, one.value, one.id) end
  end
end

local function writeIndexes(app, index, orders)
  for _, one in ipairs(index) do
    local values = writable(app, 'i:' .. one.collection .. '.' .. one.name)
    local order = orders[one.collection .. '\0' .. one.id] or select(2, version(app, one.collection, one.id))
    local rest = '\0' .. padded(tonumber(order or 0)) .. '\0' .. one.id
    if one.was then redis.call('ZREM', values, one.was .. rest) end
    if one.value then redis.call('ZADD', values, 0, one.value .. rest) end
  end
end

local function writeCounters(app, counters)
  for _, one in ipairs(counters) do
    if one.moved then
      local parts = {}
      for i, field in ipairs(one.fields) do parts[i] = field .. '=' .. int(one.after[field]) end
      redis.call('HSET', writable(app, 'c:' .. one.name), '${PRESENT}', '', one.key, table.concat(parts, ','))
    end
  end
end

-- Events enter the outbox, and their deliveries become pending. @return the bytes that the events add
local function writeEvents(app, events)
  local bytes = 0
  for _, event in ipairs(events) do
    local entry = longText(event.entry)
    redis.call('ZADD', writable(app, 'outbox'), 'NX', count('outSeq'), event.id)
    redis.call('HSET', writable(app, 'entries'), event.id, entry)
    bytes = bytes + #entry
    for _, subscriber in ipairs(event.subscribers) do
      redis.call('ZADD', key('pending'), 'NX', count('owedSeq'), subscriber .. '|' .. event.id)
    end
  end
  if #events > 0 then redis.call('SADD', key('unsent'), app) end
  return bytes
end

-- The last commit ends the claim with its outcome, the delivery, or the due item. @return the bytes of an ended claim
local function endFence(app, fence, last, preconditionHeld, outcome)
  local claim, bytes = fence.claim, 0
  if claim then
    if preconditionHeld then claim.held = '1' end
    if last then
      claim.token = ''
      claim.keep = outcome and int(outcome.keepUntil) or ''
      claim.json = outcome and longText(outcome.json) or ''
      bytes = bytesOfClaim(claim)
    end
    if preconditionHeld or last then writeClaim(app, fence.key, claim) end
  elseif last and fence.kind == 'delivery' then
    redis.call('ZREM', key('pending'), fence.key)
  elseif last and fence.kind == 'due' then
    deleteDue(fence.due)
    endRun(fence.token, fence.key)
  end
  return bytes
end

-- Schedules and cancels due work. @return the wait until the first of it may begin, or QUIET
local function writeDue(fence, last, items)
  local wait = fence.kind == 'due' and turnOf(fence.key) and 0 or QUIET
  local isBack = last and fence.due and fence.due.awaits ~= ''
  for _, item in ipairs(items) do
    local after = waitFor(schedule(item))
    if after ~= QUIET and (wait == QUIET or after < wait) then wait = after end
    if isBack and item.awaits == fence.due.awaits then isBack = false end
  end
  -- The application that the due item awaited is back.
  if isBack then
    wake(fence.due.awaits)
    wait = 0
  end
  return wait
end

-- Leases the outbox to a relay, unless another relay has it. @return the revision of the faults, then ids and entries in turn; nothing
-- when the relay gets no batch. The entries of this plan are left out: its process has them.
local function handOver(app, relay, events)
  if not relay or select(2, holder(redis.call('HGET', key('relays'), app))) then return {} end
  local ids = redis.call('ZRANGE', key(app .. ':outbox'), 0, relay.batch - 1)
  if #ids == 0 then return {} end
  redis.call('HSET', key('relays'), app, lease(relay.leaseMs, relay.token))
  local isOwn, batch = {}, { faultRevision() }
  for _, event in ipairs(events) do isOwn[event.id] = true end
  for _, id in ipairs(ids) do
    batch[#batch + 1] = id
    batch[#batch + 1] = isOwn[id] and '' or redis.call('HGET', key(app .. ':entries'), id)
  end
  return batch
end
`;
