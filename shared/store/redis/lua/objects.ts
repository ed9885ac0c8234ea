import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** Reads of objects. Plain commands read single objects; see `objects.ts` of the folder above. */
export const objectScripts = {
  // A list of Read: the objects as ids and records in turn, the record of one object, or the records of counters.
  read: lua`
local app, readOf = arg(), {}
local function objects(one) return key(app .. ':o:' .. one.collection) end
function readOf.object(one) return redis.call('HGET', objects(one), one.id) end
function readOf.counters(one) return readWith('HMGET', key(app .. ':c:' .. one.counter), one.keys) end
function readOf.unique(one)
  local id = redis.call('HGET', key(app .. ':u:' .. one.collection .. '.' .. one.name), one.value)
  local stored = id and redis.call('HGET', objects(one), id)
  return stored and { id, stored } or {}
end
function readOf.index(one)
  local from, to = '[' .. one.value .. '\0', '(' .. one.value .. '\1'
  local values, members, ids = key(app .. ':i:' .. one.collection .. '.' .. one.name), nil, {}
  if one.newestFirst then
    if one.after > 0 then to = '(' .. one.value .. '\0' .. padded(one.after) end
    members = redis.call('ZREVRANGEBYLEX', values, to, from, 'LIMIT', 0, one.limit)
  else
    members = redis.call('ZRANGEBYLEX', values, from .. padded(one.after + 1), to, 'LIMIT', 0, one.limit)
  end
  for i, member in ipairs(members) do ids[i] = string.sub(member, #one.value + 19) end
  return page(objects(one), ids)
end
function readOf.all(one)
  local placed, after = key(app .. ':a:' .. one.collection), '(' .. int(one.after)
  if one.newestFirst then
    return page(objects(one), redis.call('ZREVRANGEBYSCORE', placed, one.after == 0 and '+inf' or after, '-inf', 'LIMIT', 0, one.limit))
  end
  return page(objects(one), redis.call('ZRANGEBYSCORE', placed, after, '+inf', 'LIMIT', 0, one.limit))
end

if not exists() then return gone() end
local reply = {}
for i, one in ipairs(decoded()) do reply[i] = readOf[one.of](one) end
return reply`,

  // Gives a hash without entries the field PRESENT, which shows that its world exists.
  markPresent: lua`
if not exists() then return gone() end
local app, hash = arg(), arg()
redis.call('HSET', writable(app, hash), '${PRESENT}', '')
noteKeys()
return 1`,

  count: lua`
if not exists() then return gone() end
local values, counts = key(arg() .. ':i:' .. arg() .. '.' .. arg()), {}
while position < #ARGV do
  local value = arg()
  counts[#counts + 1] = redis.call('ZLEXCOUNT', values, '[' .. value .. '\0', '(' .. value .. '\1')
end
return counts`,

  // For each collection, the number of its objects in total, then by state.
  countObjects: lua`
if not exists() then return gone() end
local index, reply = arg(), {}
for i = 1, tonumber(arg()) do
  local app, collection = arg(), arg()
  local values, counts = key(app .. ':i:' .. collection .. '.' .. index), { redis.call('ZCARD', key(app .. ':a:' .. collection)) }
  for n = 1, tonumber(arg()) do
    local state = arg()
    counts[n + 1] = redis.call('ZLEXCOUNT', values, '[' .. state .. '\0', '(' .. state .. '\1')
  end
  reply[i] = counts
end
return reply`,
} as const;
