import { CLAIM_KEPT_MS, CLAIMS_FORGOTTEN } from '../../ports/claims.ts';
import { OPERATION_KEPT_MS } from '../../ports/plan.ts';

/** Lua as it is written: a backslash is its own. */
export const lua = String.raw;

/** What every script begins with. */
export const PRELUDE = lua`
local root, channel, position = KEYS[1], ARGV[1], 1
local OPERATIONS_MS, PUBLISH_WITHHELD_EVENT, DELIVER_AGAIN = ${OPERATION_KEPT_MS}, 'publish-held-event', 'deliver-again'
local CLAIM_KEPT_MS, CLAIMS_FORGOTTEN = ${CLAIM_KEPT_MS}, ${CLAIMS_FORGOTTEN}
-- How many items that wait for their turn a look passes at most.
local PASSED = 200

local function arg() position = position + 1; return ARGV[position] end
local function key(name) return root .. ':' .. name end
local function int(n) return string.format('%.0f', n) end
local function padded(n) return string.format('%016.0f', n) end
local function exists() return redis.call('EXISTS', root) == 1 end
local function gone() return redis.error_reply('WORLDGONE') end
local function count(field) return redis.call('HINCRBY', root, field, 1) end
-- How much text the world holds.
local function grow(bytes) if bytes ~= 0 then redis.call('HINCRBY', root, 'bytes', int(bytes)) end end

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
  -- Those of a world in which nothing happens any more go by themselves.
  redis.call('PEXPIRE', key('ops'), OPERATIONS_MS)
  redis.call('PEXPIRE', log, OPERATIONS_MS)
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
  local at, seq, attempts, withheldBy, token, till, rest = string.match(stored, SEVEN)
  return { name = name, at = at, seq = seq, attempts = attempts, withheldBy = withheldBy, token = token, till = till, rest = rest, stored = stored }
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
  local fields = { due.at, due.seq, due.attempts, due.withheldBy, due.token, due.till, due.rest }
  redis.call('HSET', key('due'), due.name, table.concat(fields, '\n'))
  if due.withheldBy ~= '' then redis.call('ZADD', key('kept'), due.seq, due.name) end
  if due.token == '' then redis.call('ZADD', key('queue'), due.at, inQueue(due))
  else redis.call('ZADD', key('running'), due.till, due.name) end
end
local function putDue(due)
  removeDue(due.name)
  enterDue(due)
end
-- Whom the clock gave something to run goes on also when the item is cancelled or replaced meanwhile, until its run ends.
local function ended(token, name) return redis.call('ZREM', key('runs'), token .. '|' .. name) == 1 end
local function replacedRuns()
  local found = {}
  for _, run in ipairs(redis.call('ZRANGEBYSCORE', key('runs'), '(' .. wall(), '+inf')) do
    local token, name = string.match(run, '^([^|]*)|(.*)$')
    local due = readDue(name)
    if not due or due.token ~= token then found[#found + 1] = name end
  end
  return found
end
-- Enters due work, or takes it out. Nothing is held by a fault that is gone, or was set anew since.
local function schedule()
  local name, at, rest, withheldBy, withheldAt, token, leaseMs = arg(), arg(), arg(), arg(), arg(), arg(), arg()
  removeDue(name)
  if at == '' then return end
  if withheldBy ~= '' then
    local since = redis.call('HGET', key('since'), withheldBy)
    if not since or (withheldAt ~= '' and tonumber(since) > tonumber(withheldAt)) then
      withheldBy = ''
      at = int(math.min(tonumber(at), now()))
    end
  end
  local till = token == '' and '0' or int(wall() + tonumber(leaseMs))
  enterDue({ name = name, at = at, seq = int(count('dueSeq')), attempts = '0', withheldBy = withheldBy, token = token, till = till, rest = rest })
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
  if kind == PUBLISH_WITHHELD_EVENT or kind == DELIVER_AGAIN then return app .. '|' .. kind end
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
  redis.call('ZADD', of(app, 'claims'), claim.keep ~= '' and claim.keep or int(tonumber(claim.since) + CLAIM_KEPT_MS), name)
  note()
end
-- Forgets claims whose time is over, some at a time.
local function forgetClaims(app, at)
  local over = redis.call('ZRANGEBYSCORE', key(app .. ':claims'), '-inf', at, 'LIMIT', 0, CLAIMS_FORGOTTEN)
  for _, name in ipairs(over) do
    local claim = readClaim(app, name)
    if claim and claim.token ~= '' and wall() < tonumber(claim.till) then
      redis.call('ZADD', key(app .. ':claims'), int(tonumber(at) + CLAIM_KEPT_MS), name)
    else
      if claim then grow(-#claim.json) end
      redis.call('HDEL', key(app .. ':idem'), name)
      redis.call('ZREM', key(app .. ':claims'), name)
    end
  end
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
