import { LATEST_CLOCK } from '../../../catalog/limits.ts';
import { OPERATION_KEPT_MS } from '../../ports/plan.ts';
import { FORMATS } from '../../ports/world-formats.ts';
import { lua } from './lua.ts';

/** Arguments, keys, time, remembered operations and leases. */
export const BASICS = lua`
local root, channel, position = KEYS[1], ARGV[1], 1
local OPERATIONS_MS = ${OPERATION_KEPT_MS}

local function arg() position = position + 1; return ARGV[position] end
-- A value of 'valueArguments', as the last argument, and its long texts.
local function decoded() return cjson.decode(arg()) end
local function longText(number) return ARGV[position + number] end
local function key(name) return root .. ':' .. name end
local function int(n) return string.format('%.0f', n) end
local function padded(n) return string.format('%016.0f', n) end
-- Calls a command with any number of arguments: in pieces, because Lua limits the number of arguments of a call. Pairs stay together.
local function callWith(command, name, list, option)
  for from = 1, #list, 500 do
    local till = math.min(from + 499, #list)
    if option then redis.call(command, name, option, unpack(list, from, till)) else redis.call(command, name, unpack(list, from, till)) end
  end
end
local function readWith(command, name, list)
  local found = {}
  for from = 1, #list, 500 do
    local till = math.min(from + 499, #list)
    for i, value in ipairs(redis.call(command, name, unpack(list, from, till))) do found[from + i - 1] = value end
  end
  return found
end

-- The fields of the world that a script has read in one command. They change in Lua, and 'storeFields' writes the changed ones in one
-- command. A script that loads none reads and writes each field when it is used.
local loaded = {}
local isChangedField = {}
local function loadFields(...)
  local values = redis.call('HMGET', root, ...)
  for i, name in ipairs({ ... }) do loaded[name] = values[i] end
end
local function worldField(name)
  local value = loaded[name]
  if value == nil then value = redis.call('HGET', root, name) end
  return value
end
local function setField(name, value)
  if loaded[name] == nil then redis.call('HSET', root, name, value)
  else loaded[name], isChangedField[name] = value, true end
end
local function raise(name, by)
  if loaded[name] == nil then return redis.call('HINCRBY', root, name, int(by)) end
  local value = tonumber(loaded[name] or '0') + by
  setField(name, int(value))
  return value
end
local function storeFields()
  local changes = {}
  for name in pairs(isChangedField) do
    changes[#changes + 1] = name
    changes[#changes + 1] = loaded[name]
  end
  callWith('HSET', root, changes)
end

-- The version of the world's formats. Empty when a release without versions wrote it, or has committed since it was converted: each
-- commit of a release with versions notes its number.
local function versionOfFormats()
  local is, seq, noted = loaded.formats, loaded.seq, loaded.formatsSeq
  if noted == nil then is, seq, noted = unpack(redis.call('HMGET', root, 'formats', 'seq', 'formatsSeq')) end
  if is == '${FORMATS}' and (seq or '0') ~= (noted or '0') then return '' end
  return is or ''
end
-- For the scripts of this release, a world with another version does not exist.
local function exists() return versionOfFormats() == '${FORMATS}' end
-- The world has the formats of this release.
local function noteFormats() redis.call('HSET', root, 'formats', '${FORMATS}', 'formatsSeq', redis.call('HGET', root, 'seq') or '0') end
local function gone() return redis.error_reply(redis.call('EXISTS', root) == 1 and 'OTHERFORMATS' or 'WORLDGONE') end
-- Changes with each commit in the world.
local function stamp()
  local is = redis.call('HMGET', root, 'seq', 'changes')
  return (is[1] or '') .. ' ' .. (is[2] or '')
end
local function count(name) return raise(name, 1) end
-- Counts the text in the world.
local function addBytes(bytes) if bytes ~= 0 then raise('bytes', bytes) end end

local wallTime
local function wall()
  if not wallTime then
    local time = redis.call('TIME')
    wallTime = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return wallTime
end

-- @return time on the rehearsal's clock, whether the clock flows. A flowing clock stops at the end of all clocks.
local function readClock()
  local flowing, clock = loaded.flowing, loaded.clock
  if clock == nil then flowing, clock = unpack(redis.call('HMGET', root, 'flowing', 'clock')) end
  if flowing == '1' then return math.min(wall() + tonumber(clock), ${LATEST_CLOCK}), true end
  return tonumber(clock), false
end
local function now() return (readClock()) end

-- A key of an application that the script writes. It is noted, so that dropping the world finds it.
local known, unnoted = {}, {}
local function writable(app, name)
  local part = app .. ':' .. name
  if not known[part] then
    known[part] = true
    unnoted[#unnoted + 1] = part
  end
  return key(part)
end
local function noteKeys()
  if #unnoted > 0 then redis.call('SADD', key('keys'), unpack(unnoted)) end
end

-- Due work may begin because of the change: immediately, after a wait in ms, or never (QUIET).
local QUIET = 'quiet'
local function changed(wait)
  redis.call('PUBLISH', channel, root .. ' ' .. count('changes') .. (wait and ' ' .. wait or ''))
end

local function resultOf(operation) return redis.call('GET', key('op:' .. operation)) end
local function remember(operation, result)
  redis.call('SET', key('op:' .. operation), result, 'PX', OPERATIONS_MS)
  return result
end

-- Revision of the fault rules of the world; 0 = none.
local function faultRevision()
  local revision = worldField('revision') or '0'
  return revision ~= '0' and redis.call('EXISTS', key('faults')) == 1 and revision or '0'
end

local function lease(ms, token) return int(wall() + tonumber(ms)) .. ' ' .. token end
-- @return token, and whether the lease has not expired
local function holder(stored)
  if not stored then return nil, false end
  local till, token = string.match(stored, '^(%d+) (.*)$')
  return token, wall() < tonumber(till)
end

local SEVEN = '^([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)$'

local function page(collection, ids)
  local found = {}
  for i, stored in ipairs(readWith('HMGET', collection, ids)) do
    if stored then
      found[#found + 1] = ids[i]
      found[#found + 1] = stored
    end
  end
  return found
end
`;

/** The lease of the driver that advances the clock. */
export const DRIVERS = lua`
-- While a driver advances the clock, only this driver may set it and lease due work.
local function driver() return holder(redis.call('HGET', root, 'driver')) end
local function mayDrive(token)
  local held, running = driver()
  if token ~= '' then return held == token end
  return not running
end
-- A clock that flowed before flows on from its present time.
local function endAdvance()
  if redis.call('HGET', root, 'flowed') == '1' then redis.call('HSET', root, 'flowing', '1', 'clock', int(now() - wall())) end
  redis.call('HDEL', root, 'driver', 'flowed')
  changed()
end
`;
