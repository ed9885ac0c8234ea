import { lua } from './prelude.ts';

/** What a unit of work reads. */
export const objectScripts = {
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
} as const;
