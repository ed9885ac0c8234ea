import { PRESENT } from '../keys.ts';
import { lua } from './lua.ts';

/** Reads of objects. Plain commands read single objects; see `objects.ts`. */
export const objectScripts = {
  // Gives a hash without entries the field PRESENT, which shows that its world exists.
  markPresent: lua`
if not exists() then return gone() end
local app, hash = arg(), arg()
redis.call('HSET', writable(app, hash), '${PRESENT}', '')
noteKeys()
return 1`,

  unique: lua`
if not exists() then return gone() end
local app, collection, name, value = arg(), arg(), arg(), arg()
local id = redis.call('HGET', key(app .. ':u:' .. collection .. '.' .. name), value)
local stored = id and redis.call('HGET', key(app .. ':o:' .. collection), id)
return stored and { id, stored } or {}`,

  index: lua`
if not exists() then return gone() end
local app, collection, name, value, after, limit, newestFirst = arg(), arg(), arg(), arg(), tonumber(arg()), arg(), arg() == '1'
local from, to = '[' .. value .. '\0', '(' .. value .. '\1'
local values, members, ids = key(app .. ':i:' .. collection .. '.' .. name), nil, {}
if newestFirst then
  if after > 0 then to = '(' .. value .. '\0' .. padded(after) end
  members = redis.call('ZREVRANGEBYLEX', values, to, from, 'LIMIT', 0, limit)
else
  members = redis.call('ZRANGEBYLEX', values, from .. padded(after + 1), to, 'LIMIT', 0, limit)
end
for i, member in ipairs(members) do ids[i] = string.sub(member, #value + 19) end
return page(key(app .. ':o:' .. collection), ids)`,

  count: lua`
if not exists() then return gone() end
local values, counts = key(arg() .. ':i:' .. arg() .. '.' .. arg()), {}
while position < #ARGV do
  local value = arg()
  counts[#counts + 1] = redis.call('ZLEXCOUNT', values, '[' .. value .. '\0', '(' .. value .. '\1')
end
return counts`,

  // For each collection, the number of its objects in total, then by state. An empty reply: call again, because one script enters only a limited
  // number of states. The index of a world of an older release lacks objects that have not changed since.
  countObjects: lua`
if not exists() then return gone() end
local index, reply, left = arg(), {}, 200
for i = 1, tonumber(arg()) do
  local app, collection, states = arg(), arg(), {}
  for n = 1, tonumber(arg()) do states[n] = arg() end
  local placed, values = key(app .. ':a:' .. collection), key(app .. ':i:' .. collection .. '.' .. index)
  local counts = { redis.call('ZCARD', placed) }
  if #states > 0 and redis.call('ZCARD', values) < counts[1] then
    local entered = 'statesEntered:' .. app .. ':' .. collection
    local some = redis.call('ZRANGEBYSCORE', placed, '(' .. (redis.call('HGET', root, entered) or '0'), '+inf', 'WITHSCORES', 'LIMIT', 0, left)
    for n = 1, #some, 2 do
      local json = string.match(redis.call('HGET', key(app .. ':o:' .. collection), some[n]) or '', '^%d+ %d+ (.*)$')
      local isJson, object = pcall(cjson.decode, json or '')
      if isJson and type(object) == 'table' and type(object.state) == 'string' then
        redis.call('ZADD', writable(app, 'i:' .. collection .. '.' .. index), 0, object.state .. '\0' .. padded(tonumber(some[n + 1])) .. '\0' .. some[n])
      end
      redis.call('HSET', root, entered, int(tonumber(some[n + 1])))
    end
    left = left - #some / 2
    if left <= 0 then
      noteKeys()
      return {}
    end
  end
  for n, state in ipairs(states) do counts[n + 1] = redis.call('ZLEXCOUNT', values, '[' .. state .. '\0', '(' .. state .. '\1') end
  reply[i] = counts
end
noteKeys()
return reply`,

  all: lua`
if not exists() then return gone() end
local app, collection, after, limit, newestFirst = arg(), arg(), arg(), arg(), arg() == '1'
local placed, ids = key(app .. ':a:' .. collection), nil
if newestFirst then ids = redis.call('ZREVRANGEBYSCORE', placed, after == '0' and '+inf' or '(' .. after, '-inf', 'LIMIT', 0, limit)
else ids = redis.call('ZRANGEBYSCORE', placed, '(' .. after, '+inf', 'LIMIT', 0, limit) end
return page(key(app .. ':o:' .. collection), ids)`,
} as const;
