import { lua } from './lua.ts';

/**
 * The list of rehearsals with their lifetimes: in one place, so that a script checks the limit atomically. The
 * rehearsals themselves are in other slots. So each change of both begins here with an early end: if its process dies, the sweep
 * checks the rehearsal and either confirms or removes the list entry.
 */
export const lifetimeScripts = {
  // Enters a rehearsal that is being opened. Returns `entered`, or `full` and the rehearsal with the longest idle time.
  enter: lua`
local name, most, openingMs, idle = arg(), arg(), tonumber(arg()), arg()
local ends, used = key('ends'), key('used')
if redis.call('ZSCORE', used, name) then return { 'entered' } end
if most ~= '' and not redis.call('ZSCORE', ends, name) and redis.call('ZCARD', ends) >= tonumber(most) then
  for from = 0, tonumber(most), 50 do
    local some = redis.call('ZRANGE', used, from, from + 49, 'WITHSCORES')
    for i = 1, #some, 2 do
      if redis.call('HGET', key('idle'), some[i]) ~= 'kept' then
        return { 'full', some[i], some[i + 1], redis.call('ZSCORE', ends, some[i]) }
      end
    end
    if #some == 0 then break end
  end
  return { 'full' }
end
redis.call('ZADD', ends, int(wall() + openingMs), name)
redis.call('HSET', key('idle'), name, idle)
return { 'entered' }`,

  // Notes the use of a rehearsal. `opened` sets the idle time. `found` sets it only if the rehearsal has none.
  use: lua`
local name, how, idle = arg(), arg(), arg()
if how == '' and not redis.call('ZSCORE', key('used'), name) then return 'kept' end
local has = redis.call('HGET', key('idle'), name)
if how == 'opened' or not has then
  has = idle
  redis.call('HSET', key('idle'), name, idle)
end
redis.call('ZADD', key('used'), wall(), name)
redis.call('ZADD', key('ends'), has == 'kept' and 'inf' or int(wall() + tonumber(has)), name)
return has`,

  // Begins a removal: unconditionally, or only of an ended rehearsal. Returns the note for `endRemoval`; empty if the rehearsal stays.
  beginRemoval: lua`
local name, onlyEnded, removingMs = arg(), arg() == '1', tonumber(arg())
local ends = redis.call('ZSCORE', key('ends'), name)
if not ends or (onlyEnded and tonumber(ends) > wall()) then return '' end
local note = int(wall() + removingMs)
redis.call('ZADD', key('ends'), note, name)
redis.call('ZREM', key('used'), name)
return note`,

  // Removes the list entry, unless a new rehearsal of the same name is being opened.
  endRemoval: lua`
local name, note = arg(), arg()
local ends = redis.call('ZSCORE', key('ends'), name)
if not ends or int(tonumber(ends)) ~= note then return 0 end
redis.call('ZREM', key('ends'), name)
redis.call('HDEL', key('idle'), name)
return 1`,

  // Ended rehearsals, for the process with the lease; each with `0` if it was being opened or removed.
  ended: lua`
local token, leaseMs, limit = arg(), arg(), arg()
local holder = redis.call('GET', key('sweep'))
if holder and holder ~= token then return {} end
redis.call('SET', key('sweep'), token, 'PX', leaseMs)
local reply = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', key('ends'), '-inf', wall(), 'LIMIT', 0, limit)) do
  reply[#reply + 1] = name
  reply[#reply + 1] = redis.call('ZSCORE', key('used'), name) and '1' or '0'
end
return reply`,

  // The lifetime of one rehearsal; empty if the list does not have it.
  lifetime: lua`
local name = arg()
local ends = redis.call('ZSCORE', key('ends'), name)
return ends and { name, ends, redis.call('ZSCORE', key('used'), name) or '' } or {}`,

  lifetimes: lua`
local reply = redis.call('ZRANGE', key('ends'), 0, -1, 'WITHSCORES')
local all = {}
for i = 1, #reply, 2 do
  all[#all + 1] = reply[i]
  all[#all + 1] = reply[i + 1]
  all[#all + 1] = redis.call('ZSCORE', key('used'), reply[i]) or ''
end
return all`,

  // Key: all worlds. Sets the earliest time of a world's drop.
  scheduleDrop: lua`
redis.call('ZADD', root, int(wall() + tonumber(arg())), arg())
return 1`,

  // Key: all worlds. Exempts a current world from dropping, unless its time has changed since it was read.
  markCurrent: lua`
local world, since = arg(), arg()
local at = redis.call('ZSCORE', root, world)
if at and int(tonumber(at)) == since then redis.call('ZADD', root, 'inf', world) end
return 1`,

  // Key: all worlds. The worlds that may be dropped, with their times.
  droppable: lua`
return redis.call('ZRANGEBYSCORE', root, '-inf', wall(), 'WITHSCORES', 'LIMIT', 0, arg())`,
} as const;
