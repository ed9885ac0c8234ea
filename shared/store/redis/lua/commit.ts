import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** The checks of a plan. Each returns the reason for a refusal, or nil. They write nothing, except to end a run that lost its lease. */
const CHECKS = lua`
-- @return version (0 without an object), place in the order of creation, length of the record
local function version(app, collection, id)
  local stored = redis.call('HGET', key(app .. ':o:' .. collection), id)
  if not stored then return 0, nil, 0 end
  local is, order = string.match(stored, '^(%d+) (%d+) ')
  return tonumber(is), order, #stored
end

-- The unit of work must still hold its lease. Keeps the claim or the due item in the fence, for the writes.
local function checkFence(app, fence)
  if fence.kind == 'claim' then
    fence.claim = readClaim(app, fence.key)
    if not fence.claim or fence.claim.token ~= fence.token then return 'held ' .. fence.key end
  elseif fence.kind == 'delivery' then
    if not redis.call('ZSCORE', key('pending'), fence.key) then return 'held ' .. fence.key end
  elseif fence.kind == 'due' then
    fence.due = readDue(fence.key)
    if not fence.due or fence.due.token ~= fence.token then
      -- The item was cancelled, replaced or leased by another process.
      if endRun(fence.token, fence.key) then changed() end
      return 'held ' .. fence.key
    end
  end
end

-- Only requests are refused: their callers can retry. Deliveries and due work finish started work and have no caller. Keeps the number of
-- events in the fence, for the relay.
local function checkOutbox(app, fence, events, limit)
  if #events == 0 or fence.kind == 'delivery' or fence.kind == 'due' then return nil end
  fence.unsent = redis.call('ZCARD', key(app .. ':outbox'))
  if fence.unsent >= limit then return 'full ' .. fence.unsent end
end

-- Objects must have the versions that were read. Keeps the place and the length of each object that the plan writes.
local function checkVersions(app, expect, put)
  for _, one in ipairs(expect) do
    if version(app, one.collection, one.id) ~= one.version then return 'version ' .. one.collection .. '/' .. one.id end
  end
  for _, one in ipairs(put) do
    local is, order, length = version(app, one.collection, one.id)
    if is ~= one.read then return 'version ' .. one.collection .. '/' .. one.id end
    one.order, one.length = order, length
  end
end

-- A commit that adds text to the world has a limit.
local function checkSpace(size, limit)
  if limit and tonumber(size or '0') > limit then return 'space ' .. size end
end

-- A unique value has one owner.
local function checkUniques(app, unique)
  for _, one in ipairs(unique) do
    local owner = one.value and redis.call('HGET', key(app .. ':u:' .. one.collection .. '.' .. one.name), one.value)
    if owner and owner ~= one.id then return 'unique ' .. one.collection .. '.' .. one.name end
  end
end

-- A counter of the list, which has each counter by number and by path. Reads it from Redis the first time.
local function counterIn(counters, app, name, of)
  local path = name .. '\0' .. of
  local found = counters[path]
  if found then return found end
  found = { name = name, key = of, fields = {}, before = {}, after = {}, moved = false }
  for field, value in string.gmatch(redis.call('HGET', key(app .. ':c:' .. name), of) or '', '([^=,]+)=(%-?%d+)') do
    found.fields[#found.fields + 1] = field
    found.before[field] = tonumber(value)
    found.after[field] = tonumber(value)
  end
  counters[path] = found
  counters[#counters + 1] = found
  return found
end

-- Moves the counters in the list, then checks the guards that the moves lower.
local function checkCounters(counters, app, move, guard)
  for _, one in ipairs(move) do
    local found, field = counterIn(counters, app, one.counter, one.key), one.field
    if not found.after[field] then found.fields[#found.fields + 1] = field end
    found.after[field] = (found.after[field] or 0) + one.by
    found.moved = true
  end
  for _, one in ipairs(guard) do
    local found, was, is = counterIn(counters, app, one.counter, one.key), 0, 0
    for field, weight in pairs(one.terms) do
      was = was + weight * (found.before[field] or 0)
      is = is + weight * (found.after[field] or 0)
    end
    if is < 0 and is < was then return 'guard ' .. one.counter .. '/' .. one.key end
  end
end
`;

/** The writes of a plan that passed every check. */
const WRITES = lua`
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
  if #events == 0 then return 0 end
  local outbox, entries, pending, bytes = {}, {}, {}, 0
  for i, event in ipairs(events) do
    local entry = longText(event.entry)
    outbox[2 * i - 1], outbox[2 * i] = count('outSeq'), event.id
    entries[2 * i - 1], entries[2 * i] = event.id, entry
    bytes = bytes + #entry
    for _, subscriber in ipairs(event.subscribers) do
      pending[#pending + 1] = count('owedSeq')
      pending[#pending + 1] = subscriber .. '|' .. event.id
    end
  end
  callWith('ZADD', writable(app, 'outbox'), outbox, 'NX')
  callWith('HSET', writable(app, 'entries'), entries)
  callWith('ZADD', key('pending'), pending, 'NX')
  redis.call('SADD', key('unsent'), app)
  return bytes
end

-- The last commit ends the claim with its outcome, the delivery, or the due item. @return the bytes of an ended claim
local function endFence(app, fence, last, preconditionHeld, outcome)
  local claim, bytes = fence.claim, 0
  if claim then
    local before = claim.held
    if preconditionHeld then claim.held = '1' elseif before == '0' then claim.held = 'c' end
    if last then
      claim.token = ''
      claim.keep = outcome and int(outcome.keepUntil) or ''
      claim.json = outcome and longText(outcome.json) or ''
      bytes = bytesOfClaim(claim)
    end
    if last or claim.held ~= before then writeClaim(app, fence.key, claim) end
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
-- when the relay gets no batch. The entries of this plan, and those that the relay holds, are left out: its process has them.
local function handOver(app, relay, events, unsent)
  if not relay then return {} end
  local token, isLeased = holder(redis.call('HGET', key('relays'), app))
  if isLeased and not (relay.holds and token == relay.token) then return {} end
  local ids = {}
  if unsent == 0 then for i = 1, math.min(#events, relay.batch) do ids[i] = events[i].id end
  else ids = redis.call('ZRANGE', key(app .. ':outbox'), 0, relay.batch - 1) end
  if #ids == 0 then return {} end
  if not isLeased then redis.call('HSET', key('relays'), app, lease(relay.leaseMs, relay.token)) end
  local isOwn, batch = {}, { faultRevision() }
  for _, event in ipairs(events) do isOwn[event.id] = true end
  for _, id in ipairs(relay.holds or {}) do isOwn[id] = true end
  for _, id in ipairs(ids) do
    batch[#batch + 1] = id
    batch[#batch + 1] = isOwn[id] and '' or redis.call('HGET', key(app .. ':entries'), id)
  end
  return batch
end
`;

/** Executes a plan as a whole, or not at all. */
export const commitScript = {
  // The plan is a CommitPlan of commit.ts. Every check first, then every write: a refused plan changes nothing but the remembered result.
  commit: lua`
${CHECKS}
${WRITES}
local plan = decoded()
loadFields('formats', 'formatsSeq', 'bytes', 'flowing', 'clock', 'revision', 'seq', 'order', 'outSeq', 'owedSeq', 'dueSeq', 'changes')
if not exists() then return redis.call('EXISTS', root) == 1 and gone() or 'no world ' end
local result = resultOf(plan.operation)
if result then return result end

local app, fence, counters, dueNames = plan.application, plan.fence, {}, {}
for i, item in ipairs(plan.due) do dueNames[i] = item.name end
if fence.kind == 'due' then dueNames[#dueNames + 1] = fence.key end
loadDue(dueNames)
local refusal = checkFence(app, fence)
  or checkOutbox(app, fence, plan.events, plan.outboxLimit)
  or checkVersions(app, plan.expect, plan.put)
  or checkSpace(loaded.bytes, plan.spaceLimit)
  or checkUniques(app, plan.unique)
  or checkCounters(counters, app, plan.move, plan.guard)
if refusal then
  storeFields()
  return remember(plan.operation, 'no ' .. refusal)
end

local seq = int(count('seq'))
setField('formatsSeq', seq)
if plan.changesReference then setField('reference', plan.operation) end
local orders, bytes = writeObjects(app, plan.put)
writeUniques(app, plan.unique)
writeIndexes(app, plan.index, orders)
writeCounters(app, counters)
bytes = bytes + writeEvents(app, plan.events)
bytes = bytes + endFence(app, fence, plan.last, plan.preconditionHeld, plan.outcome)
local wait = writeDue(fence, plan.last, plan.due)
noteKeys()
addBytes(bytes)
if #plan.events > 0 or #plan.due > 0 or fence.kind == 'delivery' or fence.kind == 'due' then changed(wait ~= QUIET and int(wait) or QUIET) end
storeFields()
return { remember(plan.operation, 'ok ' .. seq), unpack(handOver(app, plan.relay, plan.events, fence.unsent)) }`,
} as const;
