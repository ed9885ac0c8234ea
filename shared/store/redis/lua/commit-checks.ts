import { lua } from './lua.ts';

/** The lease that the unit of work must still hold. A run whose item was cancelled, replaced or taken over ends here. */
export const CHECK_FENCE = lua`
local claim
local awaited = ''
if fenceKind == 'claim' then
  claim = readClaim(app, fenceKey)
  if not claim or claim.token ~= fenceToken then return refuse('held', fenceKey) end
elseif fenceKind == 'delivery' then
  if not redis.call('ZSCORE', key('pending'), fenceKey) then return refuse('held', fenceKey) end
elseif fenceKind == 'due' then
  local due = readDue(fenceKey)
  if not due or due.token ~= fenceToken then
    if endRun(fenceToken, fenceKey) then changed() end
    return refuse('held', fenceKey)
  end
  awaited = due.awaits
end`;

export const CHECK_OUTBOX = lua`
-- Only requests are refused: their callers can retry. Deliveries and due work finish started work and have no caller.
if hasEvents and (fenceKind == 'claim' or fenceKind == '') then
  local unsent = redis.call('ZCARD', key(app .. ':outbox'))
  if unsent >= outboxLimit then return refuse('full', unsent) end
end`;

/** The versions that were read: of objects on which the plan relies, and of those that it writes. */
export const CHECK_VERSIONS = lua`
for _ = 1, tonumber(arg()) do
  local collection, id, read = arg(), arg(), tonumber(arg())
  if version(collection, id) ~= read then return refuse('version', collection .. '/' .. id) end
end
local puts, orders = {}, {}
for i = 1, tonumber(arg()) do
  local put = { collection = arg(), id = arg(), read = tonumber(arg()), version = arg(), json = arg() }
  local is, order, length = version(put.collection, put.id)
  if is ~= put.read then return refuse('version', put.collection .. '/' .. put.id) end
  put.order, put.length = order, length
  puts[i] = put
end`;

/** The size of the world. No limit is given for commits that do not enlarge it. */
export const CHECK_SPACE = lua`
if most ~= '' and tonumber(size or '0') > tonumber(most) then return refuse('space', size) end`;

/** Reads the changes of uniques and indexes. A unique value has one owner. */
export const CHECK_UNIQUES = lua`
local function changes()
  local list = {}
  for i = 1, tonumber(arg()) do
    list[i] = { collection = arg(), name = arg(), id = arg(), hasValue = arg() == '1', value = arg(), hadValue = arg() == '1', was = arg() }
  end
  return list
end
local uniques, indexes = changes(), changes()
for _, one in ipairs(uniques) do
  if one.hasValue then
    local owner = redis.call('HGET', key(app .. ':u:' .. one.collection .. '.' .. one.name), one.value)
    if owner and owner ~= one.id then return refuse('unique', one.collection .. '.' .. one.name) end
  end
end`;

/** Sums the moves of each counter, then checks the guards that they lower. */
export const CHECK_COUNTERS = lua`
local counters, moved = {}, {}
local function counter(name, of)
  local path = name .. '\0' .. of
  local found = counters[path]
  if found then return found end
  found = { name = name, key = of, fields = {}, before = {}, after = {} }
  for field, value in string.gmatch(redis.call('HGET', key(app .. ':c:' .. name), of) or '', '([^=,]+)=(%-?%d+)') do
    found.fields[#found.fields + 1] = field
    found.before[field] = tonumber(value)
    found.after[field] = tonumber(value)
  end
  counters[path] = found
  return found
end
for _ = 1, tonumber(arg()) do
  local found, field, by = counter(arg(), arg()), arg(), tonumber(arg())
  if not found.after[field] then found.fields[#found.fields + 1] = field end
  found.after[field] = (found.after[field] or 0) + by
  if not found.moved then
    found.moved = true
    moved[#moved + 1] = found
  end
end
for _ = 1, tonumber(arg()) do
  local found = counter(arg(), arg())
  local was, is = 0, 0
  for _ = 1, tonumber(arg()) do
    local field, weight = arg(), tonumber(arg())
    was = was + weight * (found.before[field] or 0)
    is = is + weight * (found.after[field] or 0)
  end
  if is < 0 and is < was then return refuse('guard', found.name .. '/' .. found.key) end
end`;
