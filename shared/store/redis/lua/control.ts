import { lua } from './lua.ts';

/** Faults, progressions, and the logs of the control plane. */
export const controlScripts = {
  faults: lua`
local names = redis.call('ZRANGE', key('faults'), 0, -1)
local reply = { redis.call('HGET', root, 'revision') or '0' }
for _, name in ipairs(names) do
  reply[#reply + 1] = name
  reply[#reply + 1] = redis.call('HGET', key('rules'), name)
  reply[#reply + 1] = redis.call('HGET', key('hits'), name) or '0'
  reply[#reply + 1] = redis.call('HGET', key('struck'), name) or ''
end
return reply`,

  setFault: lua`
if not exists() then return gone() end
local operation, name, rule, most = arg(), arg(), arg(), arg()
local done = resultOf(operation)
if done then return done end
if redis.call('ZCARD', key('faults')) >= tonumber(most) and not redis.call('ZSCORE', key('faults'), name) then return '0' end
if redis.call('ZADD', key('faults'), 'NX', count('faultSeq'), name) == 0 then wake('') end
redis.call('HSET', key('rules'), name, rule)
redis.call('HDEL', key('hits'), name)
redis.call('HDEL', key('struck'), name)
redis.call('HDEL', key('chances'), name)
redis.call('HSET', key('since'), name, count('revision'))
releaseWithheld(name)
changed()
return remember(operation, '1')`,

  // An empty name removes all.
  removeFault: lua`
if not exists() then return gone() end
local operation, name = arg(), arg()
local done = resultOf(operation)
if done then return done end
local had = 0
if name == '' then
  had = redis.call('EXISTS', key('faults'))
  redis.call('DEL', key('faults'), key('rules'), key('since'), key('hits'), key('struck'), key('chances'))
else
  had = redis.call('ZREM', key('faults'), name)
  for _, of in ipairs({ 'rules', 'since', 'hits', 'struck', 'chances' }) do redis.call('HDEL', key(of), name) end
end
count('revision')
releaseWithheld(name)
if had == 1 then wake('') end
changed()
return remember(operation, tostring(had))`,

  // Counts a hit or a chance of an existing fault. Each line of `struck` is one hit. One is added, so at most one is too many.
  strike: lua`
local operation, counted, name, limit, by, most = arg(), arg(), arg(), arg(), arg(), arg()
if not redis.call('ZSCORE', key('faults'), name) or not exists() then return '' end
local done = resultOf(operation)
if done then return done end
if limit ~= '' and tonumber(redis.call('HGET', key(counted), name) or '0') >= tonumber(limit) then return '' end
if by ~= '' then
  local struck = (redis.call('HGET', key('struck'), name) or '') .. by .. '\n'
  local _, lines = struck:gsub('\n', '')
  if lines > tonumber(most) then struck = struck:sub(struck:find('\n', 1, true) + 1) end
  redis.call('HSET', key('struck'), name, struck)
end
return remember(operation, tostring(redis.call('HINCRBY', key(counted), name, 1)))`,

  setProgression: lua`
if not exists() then return gone() end
local stored, input, default = redis.call('HGET', root, 'progression'), arg(), arg()
local progression = cjson.decode(stored or default)
for step, mode in pairs(cjson.decode(input)) do progression[step] = mode end
redis.call('HSET', root, 'progression', cjson.encode(progression))
return cjson.encode(progression)`,

  // A list of the newest entries, newest first. The number of the newest is a count of the world.
  addEntry: lua`
if not exists() then return gone() end
local operation, log, entry, most, announced = arg(), arg(), arg(), tonumber(arg()), arg()
local done = resultOf(operation)
if done then return done end
local number = count(log .. 'Seq')
redis.call('LPUSH', key(log), entry)
redis.call('LTRIM', key(log), 0, most - 1)
if announced == '1' then changed(QUIET) end
return remember(operation, int(number))`,

  // The number of the first entry of the answer, and the entries before a number, newest first.
  entries: lua`
if not exists() then return gone() end
local log = arg()
local newest = tonumber(redis.call('HGET', root, log .. 'Seq') or '0')
local before, limit = tonumber(arg()) or newest + 1, tonumber(arg())
local first = math.max(0, newest + 1 - before)
return { newest - first, redis.call('LRANGE', key(log), first, first + limit - 1) }`,
} as const;
