import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** Objects, each with its place in the order of creation. */
export const WRITE_OBJECTS = lua`
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
end`;

export const WRITE_INDEXES = lua`
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
end`;

export const WRITE_COUNTERS = lua`
for _, found in ipairs(moved) do
  local parts = {}
  for i, field in ipairs(found.fields) do parts[i] = field .. '=' .. int(found.after[field]) end
  redis.call('HSET', writable(app, 'c:' .. found.name), '${PRESENT}', '', found.key, table.concat(parts, ','))
end`;

/** Events go into the outbox, and their deliveries become pending. */
export const WRITE_EVENTS = lua`
local events, own = tonumber(arg()), {}
for _ = 1, events do
  local id, entry = arg(), arg()
  own[id] = true
  redis.call('ZADD', writable(app, 'outbox'), 'NX', count('outSeq'), id)
  redis.call('HSET', writable(app, 'entries'), id, entry)
  bytes = bytes + #entry
  for _ = 1, tonumber(arg()) do redis.call('ZADD', key('pending'), 'NX', count('owedSeq'), arg() .. '|' .. id) end
end
if events > 0 then redis.call('SADD', key('unsent'), app) end`;

/** The last commit ends the claim with its outcome, the delivery, or the due item. */
export const END_FENCE = lua`
local preconditionHeld, hasOutcome, keepUntil, outcome = arg() == '1', arg() == '1', arg(), arg()
if claim then
  if preconditionHeld then claim.held = '1' end
  if last then
    claim.token = ''
    claim.keep = hasOutcome and keepUntil or ''
    claim.json = hasOutcome and outcome or ''
    bytes = bytes + bytesOfClaim(claim)
  end
  if preconditionHeld or last then writeClaim(app, fenceKey, claim) end
elseif last and fenceKind == 'delivery' then
  redis.call('ZREM', key('pending'), fenceKey)
elseif last and fenceKind == 'due' then
  removeDue(fenceKey)
  endRun(fenceToken, fenceKey)
end`;

/** Schedules and cancels due work, and tells the drivers when the first of it may begin. */
export const WRITE_DUE = lua`
local dues, wait = tonumber(arg()), fenceKind == 'due' and turnOf(fenceKey) and 0 or QUIET
local isBack = last and awaited ~= ''
for _ = 1, dues do
  local name, awaits = schedule()
  local after = waitFor(name)
  if after ~= QUIET and (wait == QUIET or after < wait) then wait = after end
  if awaits == awaited then isBack = false end
end
-- The application that the work awaited is back.
if isBack then
  wake(awaited)
  wait = 0
end
noteKeys()
addBytes(bytes)
if events > 0 or dues > 0 or fenceKind == 'delivery' or fenceKind == 'due' then changed(wait ~= QUIET and int(wait) or QUIET) end`;

/** Leases the outbox to the relay of the plan, unless another one has it. Entries of this plan are handed over by their ids alone. */
export const HAND_OVER = lua`
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
return reply`;
