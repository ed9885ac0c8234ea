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

  all: lua`
if not exists() then return gone() end
local app, collection, after, limit, newestFirst = arg(), arg(), arg(), arg(), arg() == '1'
local placed, ids = key(app .. ':a:' .. collection), nil
if newestFirst then ids = redis.call('ZREVRANGEBYSCORE', placed, after == '0' and '+inf' or '(' .. after, '-inf', 'LIMIT', 0, limit)
else ids = redis.call('ZRANGEBYSCORE', placed, '(' .. after, '+inf', 'LIMIT', 0, limit) end
return page(key(app .. ':o:' .. collection), ids)`,
} as const;
