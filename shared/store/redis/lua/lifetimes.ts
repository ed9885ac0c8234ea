import { lua } from './prelude.ts';

/**
 * Which rehearsals there are, and for how long: of all of them together, so that one step decides whether there is room for another.
 * The rehearsals themselves are in other slots. So each change of both begins here, with an end that is soon: if its process dies
 * meanwhile, the sweep looks at the rehearsal and gives it its place back, or takes that away.
 */
export const lifetimeScripts = {
  // A place for a rehearsal that is being opened. Returns `entered`, or `full` and the one that was idle for the longest.
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

  // It is used now. `opened`: it is there from now on, with this idle time. `found`: it is there, with this one if it has none.
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

  // It is about to go: at once, or only if its end has come. Returns by what its place is given up, or nothing if it stays.
  leave: lua`
local name, onlyOver, leavingMs = arg(), arg() == '1', tonumber(arg())
local ends = redis.call('ZSCORE', key('ends'), name)
if not ends or (onlyOver and tonumber(ends) > wall()) then return '' end
local note = int(wall() + leavingMs)
redis.call('ZADD', key('ends'), note, name)
redis.call('ZREM', key('used'), name)
return note`,

  // It is gone, unless somebody opens another of its name meanwhile.
  left: lua`
local name, note = arg(), arg()
local ends = redis.call('ZSCORE', key('ends'), name)
if not ends or int(tonumber(ends)) ~= note then return 0 end
redis.call('ZREM', key('ends'), name)
redis.call('HDEL', key('idle'), name)
return 1`,

  // Those whose end has come, for the one process that sweeps; with each whether it is in use, or was being opened or removed.
  over: lua`
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

  lifetimes: lua`
local reply = redis.call('ZRANGE', key('ends'), 0, -1, 'WITHSCORES')
local all = {}
for i = 1, #reply, 2 do
  all[#all + 1] = reply[i]
  all[#all + 1] = reply[i + 1]
  all[#all + 1] = redis.call('ZSCORE', key('used'), reply[i]) or ''
end
return all`,

  // Of all worlds: when one may be dropped.
  dropAt: lua`
redis.call('ZADD', root, int(wall() + tonumber(arg())), arg())
return 1`,

  // Of all worlds: one that is current need not be looked at any more, unless somebody has said otherwise meanwhile.
  rest: lua`
local world, since = arg(), arg()
local at = redis.call('ZSCORE', root, world)
if at and int(tonumber(at)) == since then redis.call('ZADD', root, 'inf', world) end
return 1`,

  // Of all worlds: those that may be dropped, and since when.
  droppable: lua`
return redis.call('ZRANGEBYSCORE', root, '-inf', wall(), 'WITHSCORES', 'LIMIT', 0, arg())`,
} as const;
