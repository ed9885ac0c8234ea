import { createHash } from 'node:crypto';

/**
 * The Lua of the Redis adapter; `redis-formats.ts` says what the keys hold. A script runs alone and cannot be rolled back, so each checks
 * everything before it writes anything. `KEYS[1]` is the world (or the rehearsal, where its name says so); all other keys of the world
 * derive from it and share its slot. `ARGV[1]` is the channel for changes; the others are taken one by one with `arg()`.
 *
 * A script that would do harm twice takes an operation id and answers a repeat from `W:ops`: a reply can be lost after its effect, and
 * a request that was given up may still arrive. So refusals are remembered as well.
 */

/** Lua as it is written: a backslash is its own. */
const lua = String.raw;

const COMMON = lua`
local root, channel, position = KEYS[1], ARGV[1], 1
local OPERATIONS_MS, PUBLISH_HELD_EVENT, DELIVER_AGAIN = 60000, 'publish-held-event', 'deliver-again'
-- How many items that wait for their turn a look passes at most.
local PASSED = 200

local function arg() position = position + 1; return ARGV[position] end
local function key(name) return root .. ':' .. name end
local function int(n) return string.format('%.0f', n) end
local function padded(n) return string.format('%016.0f', n) end
local function exists() return redis.call('EXISTS', root) == 1 end
local function gone() return redis.error_reply('WORLDGONE') end
local function count(field) return redis.call('HINCRBY', root, field, 1) end

local wallTime
local function wall()
  if not wallTime then
    local time = redis.call('TIME')
    wallTime = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return wallTime
end

-- The rehearsal's clock.
local function now()
  local clock = redis.call('HMGET', root, 'flowing', 'clock')
  if clock[1] == '1' then return wall() + tonumber(clock[2]) end
  return tonumber(clock[2])
end

-- A key of an application that is written: noted, so that dropping the world finds it.
local known, unnoted = {}, {}
local function of(app, name)
  local part = app .. ':' .. name
  if not known[part] then
    known[part] = true
    unnoted[#unnoted + 1] = part
  end
  return key(part)
end
local function note()
  if #unnoted > 0 then redis.call('SADD', key('keys'), unpack(unnoted)) end
end

local function changed()
  redis.call('PUBLISH', channel, root .. ' ' .. count('changes'))
end

local function before(operation)
  return redis.call('HGET', key('ops'), operation)
end
local function remember(operation, result)
  local log = key('opslog')
  redis.call('HSET', key('ops'), operation, result)
  redis.call('RPUSH', log, int(wall()) .. ' ' .. operation)
  for _ = 1, 3 do
    local first = redis.call('LINDEX', log, 0)
    local at, old = string.match(first, '^(%d+) (.*)$')
    if tonumber(at) > wall() - OPERATIONS_MS then break end
    redis.call('LPOP', log)
    redis.call('HDEL', key('ops'), old)
  end
  return result
end

local function lease(ms, token) return int(wall() + tonumber(ms)) .. ' ' .. token end
-- @return token, and whether its time is still running
local function holder(stored)
  if not stored then return nil, false end
  local till, token = string.match(stored, '^(%d+) (.*)$')
  return token, wall() < tonumber(till)
end

local SEVEN = '^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'

local function readDue(name)
  local stored = redis.call('HGET', key('due'), name)
  if not stored then return nil end
  local at, seq, attempts, heldBy, token, till, rest = string.match(stored, SEVEN)
  return { name = name, at = at, seq = seq, attempts = attempts, heldBy = heldBy, token = token, till = till, rest = rest, stored = stored }
end
local function inQueue(due) return padded(tonumber(due.seq)) .. '|' .. due.name end
local function removeDue(name)
  local due = readDue(name)
  if not due then return end
  redis.call('HDEL', key('due'), name)
  redis.call('ZREM', key('queue'), inQueue(due))
  redis.call('ZREM', key('running'), name)
  redis.call('ZREM', key('kept'), name)
end
-- Enters an item, free or held; whatever was there under its name is out.
local function enterDue(due)
  local fields = { due.at, due.seq, due.attempts, due.heldBy, due.token, due.till, due.rest }
  redis.call('HSET', key('due'), due.name, table.concat(fields, '\n'))
  if due.heldBy ~= '' then redis.call('ZADD', key('kept'), due.seq, due.name) end
  if due.token == '' then redis.call('ZADD', key('queue'), due.at, inQueue(due))
  else redis.call('ZADD', key('running'), due.till, due.name) end
end
local function putDue(due)
  removeDue(due.name)
  enterDue(due)
end
-- Enters due work, or takes it out. Nothing is held by a fault that is gone, or was set anew since.
local function schedule()
  local name, at, rest, heldBy, heldAt, token, leaseMs = arg(), arg(), arg(), arg(), arg(), arg(), arg()
  removeDue(name)
  if at == '' then return end
  if heldBy ~= '' then
    local since = redis.call('HGET', key('since'), heldBy)
    if not since or (heldAt ~= '' and tonumber(since) > tonumber(heldAt)) then
      heldBy = ''
      at = int(math.min(tonumber(at), now()))
    end
  end
  local till = token == '' and '0' or int(wall() + tonumber(leaseMs))
  enterDue({ name = name, at = at, seq = int(count('dueSeq')), attempts = '0', heldBy = heldBy, token = token, till = till, rest = rest })
end
-- Whose lease ran out may still end it, until somebody else takes it.
local function queueExpired()
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', key('running'), '-inf', wall())) do
    redis.call('ZREM', key('running'), name)
    local due = readDue(name)
    if due then redis.call('ZADD', key('queue'), due.at, inQueue(due)) end
  end
end
-- What carries an event waits until the one before it is done, of its application and kind.
local function turnOf(name)
  local app, kind = string.match(name, '^([^|]*)|([^|]*)|')
  if kind == PUBLISH_HELD_EVENT or kind == DELIVER_AGAIN then return app .. '|' .. kind end
end
-- The lowest free item that is due by then and whose turn it is.
local function lowest(upTo)
  queueExpired()
  local turns, from, many = nil, 0, 1
  while from < PASSED do
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
-- Makes what a fault kept due at once; for an empty name what any fault kept.
local function letGo(fault)
  for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
    local due = readDue(name)
    if due and (fault == '' or due.heldBy == fault) then
      due.heldBy = ''
      due.at = int(math.min(tonumber(due.at), now()))
      putDue(due)
    end
  end
end

-- Lists work that was given up; due work keeps what it needs to be done again. What was parked before under the same name goes.
local function park(what, name, error, rest)
  local member = what .. '|' .. name
  redis.call('ZADD', key('parked'), count('parkSeq'), member)
  redis.call('HSET', key('parkings'), member, int(now()) .. '\n' .. error .. '\n' .. rest)
end

-- Who advances the clock keeps everybody else from it, until its lease runs out.
local function driver() return holder(redis.call('HGET', root, 'driver')) end
local function mayDrive(token)
  local held, running = driver()
  if token ~= '' then return held == token end
  return not running
end
-- The clock flows on from where it stands, if it flowed before.
local function endAdvance()
  if redis.call('HGET', root, 'flowed') == '1' then redis.call('HSET', root, 'flowing', '1', 'clock', int(now() - wall())) end
  redis.call('HDEL', root, 'driver', 'flowed')
  changed()
end

local function readClaim(app, name)
  local stored = redis.call('HGET', key(app .. ':idem'), name)
  if not stored then return nil end
  local fingerprint, since, held, token, till, keep, json = string.match(stored, SEVEN)
  return { fingerprint = fingerprint, since = since, held = held, token = token, till = till, keep = keep, json = json }
end
local function writeClaim(app, name, claim)
  local fields = { claim.fingerprint, claim.since, claim.held, claim.token, claim.till, claim.keep, claim.json }
  redis.call('HSET', of(app, 'idem'), name, table.concat(fields, '\n'))
  note()
end

local function page(collection, ids)
  local found = {}
  for _, id in ipairs(ids) do
    local stored = redis.call('HGET', collection, id)
    if stored then
      found[#found + 1] = id
      found[#found + 1] = stored
    end
  end
  return found
end
`;

const SCRIPTS = {
  // All that a commit is. What was refused has changed nothing.
  commit: lua`
local app, operation, last, holdKind, holdKey, holdToken = arg(), arg(), arg() == '1', arg(), arg(), arg()
local hasEvents, outboxLimit = arg() == '1', tonumber(arg())
if not exists() then return 'no world ' end
local answered = before(operation)
if answered then return answered end
local function refuse(why, at) return remember(operation, 'no ' .. why .. ' ' .. at) end
local function version(collection, id)
  local stored = redis.call('HGET', key(app .. ':o:' .. collection), id)
  if not stored then return 0, nil end
  local is, order = string.match(stored, '^(%d+) (%d+) ')
  return tonumber(is), order
end

local claim
if holdKind == 'claim' then
  claim = readClaim(app, holdKey)
  if not claim or claim.token ~= holdToken then return refuse('held', holdKey) end
elseif holdKind == 'delivery' then
  if not redis.call('ZSCORE', key('pending'), holdKey) then return refuse('held', holdKey) end
elseif holdKind == 'due' then
  local due = readDue(holdKey)
  if not due or due.token ~= holdToken then return refuse('held', holdKey) end
end

-- What consumes, and what falls due, goes on: it finishes what was begun, and nobody could tell it to come back.
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
  local is, order = version(put.collection, put.id)
  if is ~= put.read then return refuse('version', put.collection .. '/' .. put.id) end
  put.order = order
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

local seq = int(count('seq'))
for _, put in ipairs(puts) do
  local path = put.collection .. '\0' .. put.id
  local order = put.order or orders[path]
  if not order then
    order = int(count('order'))
    redis.call('ZADD', of(app, 'a:' .. put.collection), order, put.id)
  end
  orders[path] = order
  redis.call('HSET', of(app, 'o:' .. put.collection), put.id, put.version .. ' ' .. order .. ' ' .. put.json)
end
for _, one in ipairs(uniques) do
  local values = of(app, 'u:' .. one.collection .. '.' .. one.name)
  if one.hadValue and redis.call('HGET', values, one.was) == one.id then redis.call('HDEL', values, one.was) end
  if one.hasValue then redis.call('HSET', values, one.value, one.id) end
end
for _, one in ipairs(indexes) do
  local values = of(app, 'i:' .. one.collection .. '.' .. one.name)
  local stored = orders[one.collection .. '\0' .. one.id]
  if not stored then stored = select(2, version(one.collection, one.id)) end
  local rest = '\0' .. padded(tonumber(stored or 0)) .. '\0' .. one.id
  if one.hadValue then redis.call('ZREM', values, one.was .. rest) end
  if one.hasValue then redis.call('ZADD', values, 0, one.value .. rest) end
end
for _, found in ipairs(moved) do
  local parts = {}
  for i, field in ipairs(found.fields) do parts[i] = field .. '=' .. int(found.after[field]) end
  redis.call('HSET', of(app, 'c:' .. found.name), found.key, table.concat(parts, ','))
end

local events = tonumber(arg())
for _ = 1, events do
  local id, entry = arg(), arg()
  redis.call('ZADD', of(app, 'outbox'), 'NX', count('outSeq'), id)
  redis.call('HSET', of(app, 'entries'), id, entry)
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
  end
  if preconditionHeld or last then writeClaim(app, holdKey, claim) end
elseif last and holdKind == 'delivery' then
  redis.call('ZREM', key('pending'), holdKey)
elseif last and holdKind == 'due' then
  removeDue(holdKey)
end

local dues = tonumber(arg())
for _ = 1, dues do schedule() end
note()
if events > 0 or dues > 0 or holdKind == 'delivery' or holdKind == 'due' then changed() end
return remember(operation, 'ok ' .. seq)`,

  object: lua`
if not exists() then return gone() end
return page(key(arg() .. ':o:' .. arg()), { arg() })`,

  unique: lua`
if not exists() then return gone() end
local app, collection, name, value = arg(), arg(), arg(), arg()
local id = redis.call('HGET', key(app .. ':u:' .. collection .. '.' .. name), value)
local stored = id and redis.call('HGET', key(app .. ':o:' .. collection), id)
return stored and { id, stored } or {}`,

  index: lua`
if not exists() then return gone() end
local app, collection, name, value, after, limit = arg(), arg(), arg(), arg(), tonumber(arg()), arg()
local from, to = '[' .. value .. '\0' .. padded(after + 1), '(' .. value .. '\1'
local members = redis.call('ZRANGEBYLEX', key(app .. ':i:' .. collection .. '.' .. name), from, to, 'LIMIT', 0, limit)
local ids = {}
for i, member in ipairs(members) do ids[i] = string.sub(member, #value + 19) end
return page(key(app .. ':o:' .. collection), ids)`,

  all: lua`
if not exists() then return gone() end
local app, collection, after, limit = arg(), arg(), arg(), arg()
local ids = redis.call('ZRANGEBYSCORE', key(app .. ':a:' .. collection), '(' .. after, '+inf', 'LIMIT', 0, limit)
return page(key(app .. ':o:' .. collection), ids)`,

  counters: lua`
if not exists() then return gone() end
local app, counter, keys = arg(), arg(), {}
for i = 3, #ARGV - 1 do keys[#keys + 1] = ARGV[i + 1] end
if #keys == 0 then return {} end
return redis.call('HMGET', key(app .. ':c:' .. counter), unpack(keys))`,

  claim: lua`
if not exists() then return gone() end
local app, name, fingerprint, at, leaseMs, token = arg(), arg(), arg(), arg(), arg(), arg()
local found = readClaim(app, name)
if found and found.keep ~= '' and tonumber(at) < tonumber(found.keep) then
  if found.fingerprint == fingerprint then return { 'done', found.json } end
  return { 'other-body' }
end
if found and found.token == token then return { 'ours', found.since, found.held } end
if found and found.token ~= '' and wall() < tonumber(found.till) then
  return { found.fingerprint == fingerprint and 'running' or 'other-body' }
end
-- A released or abandoned claim of the same request goes on under its first instant, so that it mints the same ids.
local same = found and found.keep == '' and found.fingerprint == fingerprint
local claim = { fingerprint = fingerprint, since = same and found.since or at, held = same and found.held or '0', token = token }
claim.till, claim.keep, claim.json = int(wall() + tonumber(leaseMs)), '', ''
writeClaim(app, name, claim)
return { 'ours', claim.since, claim.held }`,

  release: lua`
if not exists() then return gone() end
local app, name, token = arg(), arg(), arg()
local claim = readClaim(app, name)
if not claim or claim.token ~= token then return 0 end
claim.token = ''
writeClaim(app, name, claim)
return 1`,

  due: lua`
local due = readDue(arg())
return due and due.token == arg() and due.stored or false`,

  releaseDue: lua`
local due = readDue(arg())
if not due or due.token ~= arg() then return 0 end
due.token, due.till = '', '0'
putDue(due)
changed()
return 1`,

  // Acknowledges, takes out what is held, returns the next batch, or lets the lease go in the step that finds nothing.
  drain: lua`
if not exists() then return {} end
local app, operation, token, leaseMs, limit = arg(), arg(), arg(), arg(), tonumber(arg())
local outbox, entries = key(app .. ':outbox'), key(app .. ':entries')
local held, running = holder(redis.call('HGET', key('relays'), app))
if held and held ~= token and running then return {} end
local sent = tonumber(arg())
if sent > 0 or tonumber(ARGV[position + 1 + 2 * sent]) > 0 then
  if not before(operation) then
    local out = {}
    for _ = 1, sent do
      local id, entry = arg(), arg()
      if entry == '' then entry = redis.call('HGET', entries, id)
      else removeDue(app .. '|' .. PUBLISH_HELD_EVENT .. '|' .. id) end
      if entry then redis.call('XADD', key('events'), (redis.call('XLEN', key('events')) + 1) .. '-0', 'e', entry) end
      out[#out + 1] = id
    end
    for _ = 1, tonumber(arg()) do
      local id = arg()
      if redis.call('ZSCORE', outbox, id) then schedule() else position = position + 7 end
      out[#out + 1] = id
    end
    for _, id in ipairs(out) do
      redis.call('ZREM', outbox, id)
      redis.call('HDEL', entries, id)
    end
    remember(operation, '')
    changed()
  end
end
local ids = redis.call('ZRANGE', outbox, 0, limit - 1)
if #ids == 0 then
  redis.call('HDEL', key('relays'), app)
  redis.call('SREM', key('unsent'), app)
  return {}
end
redis.call('HSET', key('relays'), app, lease(leaseMs, token))
return redis.call('HMGET', entries, unpack(ids))`,

  held: lua`
local app, fault, found = arg(), arg(), {}
for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
  local due = readDue(name)
  if due and due.heldBy == fault and string.sub(name, 1, #app + 1) == app .. '|' then found[#found + 1] = due.stored end
end
return found`,

  unsent: lua`
local app = arg()
if redis.call('SISMEMBER', key('unsent'), app) == 0 then return 'nothing' end
local _, running = holder(redis.call('HGET', key('relays'), app))
return running and 'carried' or 'free'`,

  // Of an application: the worlds in which it may have unsent events.
  announce: lua`
redis.call('ZADD', root, wall(), arg())
return 1`,

  announced: lua`
local reply, old = {}, wall() - tonumber(arg())
local found = redis.call('ZRANGE', root, 0, -1, 'WITHSCORES')
for i = 1, #found, 2 do
  reply[#reply + 1] = found[i]
  reply[#reply + 1] = found[i + 1]
  reply[#reply + 1] = tonumber(found[i + 1]) < old and '1' or '0'
end
return reply`,

  withdraw: lua`
local world, since = arg(), arg()
if redis.call('ZSCORE', root, world) == since then redis.call('ZREM', root, world) end
return 1`,

  parkDelivery: lua`
local delivery, error = arg(), arg()
if not exists() or redis.call('ZREM', key('pending'), delivery) == 0 then return 0 end
park('delivery', delivery, error, '')
changed()
return 1`,

  // Of a rehearsal: what the edge knows of its current world. With an id, only while it is current.
  view: lua`
local id = arg()
local is = redis.call('HMGET', KEYS[1], 'ulid', 'credentials')
if not is[1] or (id ~= '' and id ~= is[1]) then return {} end
root = KEYS[1] .. '~' .. is[1]
local world = redis.call('HMGET', root, 'flowing', 'progression', 'revision')
local faults = redis.call('EXISTS', key('faults')) == 1 and world[3] or '0'
return { is[1], is[2], world[1], int(now()), world[2] or '', faults }`,

  // Of a rehearsal: makes a seeded world the current one, if it may be. Its clock starts here. Returns the one before.
  switch: lua`
local only, id, credentials, createdAt, at = arg(), arg(), arg(), arg(), arg()
local old = redis.call('HGET', KEYS[1], 'ulid')
root = KEYS[1] .. '~' .. id
-- It was done before, and meanwhile another may have become current.
if exists() then return redis.call('HGET', KEYS[1], 'before') or '' end
if (only == 'absent' and old) or (only == 'present' and not old) then return 'no' end
redis.call('HSET', root, 'createdAt', createdAt, 'flowing', '1', 'clock', int(tonumber(at) - wall()), 'revision', '0')
for _ = 1, tonumber(arg()) do redis.call('HSET', root, arg(), arg()) end
redis.call('HSET', KEYS[1], 'ulid', id, 'before', old or '')
redis.call('HSETNX', KEYS[1], 'since', int(wall()))
redis.call('HSETNX', KEYS[1], 'credentials', credentials)
changed()
return old or ''`,

  // Of a rehearsal: forgets it. Returns the world that it had.
  remove: lua`
local operation = arg()
local note = KEYS[1] .. ':removed:' .. operation
local done = redis.call('GET', note)
if done then return done end
local id = redis.call('HGET', KEYS[1], 'ulid')
if not id then return '' end
redis.call('DEL', KEYS[1])
redis.call('SET', note, id, 'PX', OPERATIONS_MS)
return id`,

  // Of a rehearsal: whether a world may be dropped. From then on nothing writes into it.
  retire: lua`
local id = arg()
if redis.call('HGET', KEYS[1], 'ulid') == id then return 0 end
redis.call('DEL', KEYS[1] .. '~' .. id)
return 1`,

  now: lua`
if not exists() then return gone() end
return int(now())`,

  // What still has to happen: of each kind how many, and the first of them.
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
-- Deliveries of events that a fault keeps are owed, and not pending until those are let go.
local away, isAnyAway = {}, false
for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
  local kind, id = string.match(name, '^[^|]*|([^|]*)|(.*)$')
  if kind == PUBLISH_HELD_EVENT then away[id], isAnyAway = true, true end
end
local pending, pendingCount
if isAnyAway then
  pending, pendingCount = {}, 0
  for _, delivery in ipairs(redis.call('ZRANGE', key('pending'), 0, -1)) do
    if not away[string.match(delivery, '^[^|]*|(.*)$')] then
      pendingCount = pendingCount + 1
      if limit == '' or pendingCount <= tonumber(limit) then pending[pendingCount] = delivery end
    end
  end
else
  pending, pendingCount = first('pending'), redis.call('ZCARD', key('pending'))
end
local parked = first('parked')
local next = lowest('+inf')
return {
  unsent,
  pending,
  first('running'),
  parked,
  records(parked, 'parkings'),
  records(first('kept'), 'due'),
  { unsentCount, pendingCount, redis.call('ZCARD', key('running')), redis.call('ZCARD', key('parked')), redis.call('ZCARD', key('kept')) },
  next and next.stored or '',
}`,

  // What a driver of the clock looks at, of a world that is current. Whoever looks lets a clock go that a dead driver left standing.
  look: lua`
local rehearsal, id = string.match(KEYS[1], '^(.*)~([^~]*)$')
if redis.call('HGET', rehearsal, 'ulid') ~= id or not exists() then return {} end
local held, advancing = driver()
if held and not advancing then endAdvance() end
local next = lowest('+inf')
return {
  int(now()),
  redis.call('HGET', root, 'flowing'),
  advancing and '1' or '0',
  redis.call('ZCARD', key('running')),
  next and next.stored or '',
}`,

  setClock: lua`
if not exists() then return gone() end
local operation, at, flowing, token = arg(), arg(), arg(), arg()
local done = before(operation)
if done then return done end
if not mayDrive(token) then return remember(operation, '0') end
if token == '' then redis.call('HDEL', root, 'driver', 'flowed') end
redis.call('HSET', root, 'flowing', flowing, 'clock', flowing == '1' and int(tonumber(at) - wall()) or at)
changed()
return remember(operation, '1')`,

  // The clock stands from here on. Whether it flowed is kept for whoever gives it back.
  lease: lua`
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

  renewLease: lua`
local token, ms = arg(), arg()
if driver() ~= token then return 0 end
redis.call('HSET', root, 'driver', lease(ms, token))
return 1`,

  unlease: lua`
if driver() == arg() then endAdvance() end
return 1`,

  takeDue: lua`
if not exists() then return gone() end
local operation, upTo, token, leaseMs, advancing = arg(), arg(), arg(), arg(), arg()
local taken = before(operation)
if taken then return taken end
if not mayDrive(advancing) then return '' end
local due = lowest(upTo)
if not due then return '' end
due.token, due.till = token, int(wall() + tonumber(leaseMs))
putDue(due)
return remember(operation, due.stored)`,

  putBackDue: lua`
if not exists() then return gone() end
local name, token, at, attempts, error = arg(), arg(), arg(), arg(), arg()
local due = readDue(name)
if not due or due.token ~= token then return 0 end
if at ~= '' then
  due.at, due.attempts, due.token, due.till = at, attempts, '', '0'
  putDue(due)
else
  removeDue(name)
  local app, kind, id = string.match(name, '^([^|]*)|([^|]*)|(.*)$')
  local delivery = app .. '|' .. id
  if kind ~= DELIVER_AGAIN then park('due', name, error, due.rest)
  elseif redis.call('ZREM', key('pending'), delivery) == 1 then park('delivery', delivery, error, '') end
end
changed()
return 1`,

  // Takes work out of what is parked and makes it due at once. Returns, for each, whether it was parked.
  redrive: lua`
if not exists() then return gone() end
local operation = arg()
local done = before(operation)
if done then return done end
local driven = {}
for i = 1, tonumber(arg()) do
  local what, name, delivery, rest = arg(), arg(), arg(), arg()
  local member = what .. '|' .. name
  local parking = redis.call('HGET', key('parkings'), member)
  driven[i] = parking and '1' or '0'
  if parking then
    redis.call('ZREM', key('parked'), member)
    redis.call('HDEL', key('parkings'), member)
    local dueName = name
    if what == 'delivery' then
      dueName = delivery
      redis.call('ZADD', key('pending'), 'NX', count('owedSeq'), name)
    else
      rest = string.match(parking, '^[^\n]*\n[^\n]*\n(.*)$')
    end
    if not readDue(dueName) then
      enterDue({ name = dueName, at = int(now()), seq = int(count('dueSeq')), attempts = '0', heldBy = '', token = '', till = '0', rest = rest })
    end
  end
end
changed()
return remember(operation, table.concat(driven))`,

  faults: lua`
local names = redis.call('ZRANGE', key('faults'), 0, -1)
local reply = { redis.call('HGET', root, 'revision') or '0' }
for _, name in ipairs(names) do
  reply[#reply + 1] = name
  reply[#reply + 1] = redis.call('HGET', key('rules'), name)
  reply[#reply + 1] = redis.call('HGET', key('hits'), name) or '0'
end
return reply`,

  setFault: lua`
if not exists() then return gone() end
local operation, name, rule = arg(), arg(), arg()
if before(operation) then return 1 end
redis.call('ZADD', key('faults'), 'NX', count('faultSeq'), name)
redis.call('HSET', key('rules'), name, rule)
redis.call('HDEL', key('hits'), name)
redis.call('HDEL', key('chances'), name)
redis.call('HSET', key('since'), name, count('revision'))
letGo(name)
changed()
return remember(operation, '1')`,

  // An empty name: all.
  removeFault: lua`
if not exists() then return gone() end
local operation, name = arg(), arg()
local done = before(operation)
if done then return done end
local had = 0
if name == '' then
  had = redis.call('EXISTS', key('faults'))
  redis.call('DEL', key('faults'), key('rules'), key('since'), key('hits'), key('chances'))
else
  had = redis.call('ZREM', key('faults'), name)
  for _, of in ipairs({ 'rules', 'since', 'hits', 'chances' }) do redis.call('HDEL', key(of), name) end
end
count('revision')
letGo(name)
changed()
return remember(operation, tostring(had))`,

  // Counts a hit, or a chance, of a fault that there is.
  strike: lua`
local operation, counted, name, limit = arg(), arg(), arg(), arg()
if not redis.call('ZSCORE', key('faults'), name) then return '' end
local done = before(operation)
if done then return done end
if limit ~= '' and tonumber(redis.call('HGET', key(counted), name) or '0') >= tonumber(limit) then return '' end
return remember(operation, tostring(redis.call('HINCRBY', key(counted), name, 1)))`,

  setProgression: lua`
if not exists() then return gone() end
redis.call('HSET', root, 'progression', arg())
return 1`,

  journal: lua`
if not exists() then return 0 end
local operation, limit = arg(), tonumber(arg())
if before(operation) then return 0 end
for i = position + 1, #ARGV do redis.call('RPUSH', key('journal'), ARGV[i]) end
redis.call('LTRIM', key('journal'), -limit, -1)
remember(operation, '')
return 1`,
} as const;

export type ScriptName = keyof typeof SCRIPTS;

export interface Script {
  readonly name: ScriptName;
  readonly source: string;
  readonly sha: string;
}

const prepared = (name: ScriptName, body: string): Script => {
  const source = COMMON + body;
  return { name, source, sha: createHash('sha1').update(source).digest('hex') };
};

export const scripts = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, body]) => [name, prepared(name as ScriptName, body)]),
) as Readonly<Record<ScriptName, Script>>;
