import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** Executes a plan as a whole, or not at all. */
export const commitScript = {
  // Every check first, then every write. A refused plan changes nothing but the remembered result. The relay of the plan gets the outbox,
  // without the entries of this plan.
  commit: lua`
local app, operation, last, holdKind, holdKey, holdToken = arg(), arg(), arg() == '1', arg(), arg(), arg()
local hasEvents, outboxLimit, relay, relayMs, batchSize = arg() == '1', tonumber(arg()), arg(), arg(), tonumber(arg())
if not exists() then return 'no world ' end
local answered = resultOf(operation)
if answered then return answered end
local function refuse(why, at) return remember(operation, 'no ' .. why .. ' ' .. at) end
local function version(collection, id)
  local stored = redis.call('HGET', key(app .. ':o:' .. collection), id)
  if not stored then return 0, nil, 0 end
  local is, order = string.match(stored, '^(%d+) (%d+) ')
  return tonumber(is), order, #stored
end

local claim
if holdKind == 'claim' then
  claim = readClaim(app, holdKey)
  if not claim or claim.token ~= holdToken then return refuse('held', holdKey) end
elseif holdKind == 'delivery' then
  if not redis.call('ZSCORE', key('pending'), holdKey) then return refuse('held', holdKey) end
elseif holdKind == 'due' then
  local due = readDue(holdKey)
  if not due or due.token ~= holdToken then
    if endRun(holdToken, holdKey) then changed() end
    return refuse('held', holdKey)
  end
end

-- Only requests are refused: their callers can retry. Deliveries and due work finish started work and have no caller.
if hasEvents and (holdKind == 'claim' or holdKind == '') then
  local unsent = redis.call('ZCARD', key(app .. ':outbox'))
  if unsent >= outboxLimit then return refuse('full', unsent) end
end

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
end

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
end

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
end

local seq, bytes = int(count('seq')), 0
for _, put in ipairs(puts) do
  local path = put.collection .. '\0' .. put.id
  local order = put.order or orders[path]
  if not order then
    order = int(count('order'))
    redis.call('ZADD', writable(app, 'a:' .. put.collection), order, put.id)
  end
  orders[path] = order
  local record = put.version .. ' ' .. order .. ' ' .. put.json
  redis.call('HSET', writable(app, 'o:' .. put.collection), '${PRESENT}', '', put.id, record)
  bytes = bytes + #record - put.length
end
for _, one in ipairs(uniques) do
  local values = writable(app, 'u:' .. one.collection .. '.' .. one.name)
  if one.hadValue and redis.call('HGET', values, one.was) == one.id then redis.call('HDEL', values, one.was) end
  if one.hasValue then redis.call('HSET', values, one.value, one.id) end
end
for _, one in ipairs(indexes) do
  local values = writable(app, 'i:' .. one.collection .. '.' .. one.name)
  local stored = orders[one.collection .. '\0' .. one.id]
  if not stored then stored = select(2, version(one.collection, one.id)) end
  local rest = '\0' .. padded(tonumber(stored or 0)) .. '\0' .. one.id
  if one.hadValue then redis.call('ZREM', values, one.was .. rest) end
  if one.hasValue then redis.call('ZADD', values, 0, one.value .. rest) end
end
for _, found in ipairs(moved) do
  local parts = {}
  for i, field in ipairs(found.fields) do parts[i] = field .. '=' .. int(found.after[field]) end
  redis.call('HSET', writable(app, 'c:' .. found.name), '${PRESENT}', '', found.key, table.concat(parts, ','))
end

local events, own = tonumber(arg()), {}
for _ = 1, events do
  local id, entry = arg(), arg()
  own[id] = true
  redis.call('ZADD', writable(app, 'outbox'), 'NX', count('outSeq'), id)
  redis.call('HSET', writable(app, 'entries'), id, entry)
  bytes = bytes + #entry
  for _ = 1, tonumber(arg()) do redis.call('ZADD', key('pending'), 'NX', count('owedSeq'), arg() .. '|' .. id) end
end
if events > 0 then redis.call('SADD', key('unsent'), app) end

local preconditionHeld, hasOutcome, keepUntil, outcome = arg() == '1', arg() == '1', arg(), arg()
if claim then
  if preconditionHeld then claim.held = '1' end
  if last then
    claim.token = ''
    claim.keep = hasOutcome and keepUntil or ''
    claim.json = hasOutcome and outcome or ''
    bytes = bytes + #claim.json
  end
  if preconditionHeld or last then writeClaim(app, holdKey, claim) end
elseif last and holdKind == 'delivery' then
  redis.call('ZREM', key('pending'), holdKey)
elseif last and holdKind == 'due' then
  removeDue(holdKey)
  endRun(holdToken, holdKey)
end

local dues, wait = tonumber(arg()), holdKind == 'due' and turnOf(holdKey) and 0 or QUIET
for _ = 1, dues do
  local after = waitFor(schedule())
  if after ~= QUIET and (wait == QUIET or after < wait) then wait = after end
end
noteKeys()
addBytes(bytes)
if events > 0 or dues > 0 or holdKind == 'delivery' or holdKind == 'due' then changed(wait ~= QUIET and int(wait) or QUIET) end
local reply = { remember(operation, 'ok ' .. seq) }
if relay ~= '' and not select(2, holder(redis.call('HGET', key('relays'), app))) then
  local ids = redis.call('ZRANGE', key(app .. ':outbox'), 0, batchSize - 1)
  if #ids > 0 then
    redis.call('HSET', key('relays'), app, lease(relayMs, relay))
    reply[2] = faultRevision()
  end
  for _, id in ipairs(ids) do
    reply[#reply + 1] = id
    reply[#reply + 1] = own[id] and '' or redis.call('HGET', key(app .. ':entries'), id)
  end
end
return reply`,
} as const;
