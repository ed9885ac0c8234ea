import { lua } from './lua.ts';

/** The checks of a plan. Each returns the reason for a refusal, or nil. They write nothing, except to end a run that lost its lease. */
export const CHECKS = lua`
-- @return version (0: there is no object), place in the order of creation, length of the record
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

-- Only requests are refused: their callers can retry. Deliveries and due work finish started work and have no caller.
local function checkOutbox(app, fence, events, limit)
  if #events == 0 or fence.kind == 'delivery' or fence.kind == 'due' then return nil end
  local unsent = redis.call('ZCARD', key(app .. ':outbox'))
  if unsent >= limit then return 'full ' .. unsent end
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
