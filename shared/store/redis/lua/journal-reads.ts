import { lua } from './lua.ts';

export const journalReads = {
  // Wall time, the highest sequence of a discarded hop, the newest sequence, then hops of each part, sorted by sequence.
  // Without `after`: the newest ones, newest first.
  readJournal: lua`
if not exists() then return gone() end
local only, correlationId, after, limit, withBodies = arg() == '1', arg(), arg(), arg(), arg() == '1'
local state = redis.call('HMGET', root, 'hopsDiscardedTo', 'hopSeq')
local reply = { int(wall()), state[1] or '0', state[2] or '0' }
while position < #ARGV do
  local part, hops = arg(), {}
  if only then
    local from, to, places = '(' .. correlationId .. '\0', '(' .. correlationId .. '\1', nil
    if after == '' then places = redis.call('ZREVRANGEBYLEX', key(part .. 'about'), to, from, 'LIMIT', 0, limit)
    else places = redis.call('ZRANGEBYLEX', key(part .. 'about'), from .. padded(tonumber(after)), to, 'LIMIT', 0, limit) end
    for i, member in ipairs(places) do hops[i] = hopAt(part, string.format('%.0f', tonumber(string.sub(member, -16)))) end
  elseif after == '' then hops = redis.call('XREVRANGE', key(part), '+', '-', 'COUNT', limit)
  else hops = redis.call('XRANGE', key(part), '(' .. after .. '-0', '+', 'COUNT', limit) end
  if not withBodies then for i, hop in ipairs(hops) do hops[i] = headOf(hop) end end
  reply[#reply + 1] = hops
end
return reply`,

  // Wall time, then the hop of each part, or an empty list.
  readHop: lua`
if not exists() then return gone() end
local order, reply = redis.call('HGET', key('hopids'), arg()), { int(wall()) }
while position < #ARGV do
  local part = arg()
  reply[#reply + 1] = order and hopAt(part, order) or {}
end
return reply`,

  // Numbers of hops, of traces and of discarded traces.
  journalSize: lua`
if not exists() then return gone() end
local known = redis.call('ZRANGE', key('anonymousbegun'), 0, -1)
local traces = redis.call('ZCARD', key('hopsbegun')) + #known
if #known > 0 then
  for _, place in ipairs(redis.call('ZMSCORE', key('hopsbegun'), unpack(known))) do
    if place then traces = traces - 1 end
  end
end
local discarded = tonumber(redis.call('HGET', root, 'hopsDiscarded') or '0')
return { redis.call('XLEN', key('hops')) + redis.call('XLEN', key('anonymous')), traces, discarded }`,

  // Fields and numbers of the counts.
  hopCounts: lua`
if not exists() then return gone() end
return redis.call('HGETALL', key('hopcounts'))`,

  // The newest traces of each part that began before a sequence: correlation id, place, summary of each part.
  readTraces: lua`
if not exists() then return gone() end
local before, limit, reply = arg(), arg(), {}
for _, part in ipairs({ 'hops', 'anonymous' }) do
  local found = redis.call('ZREVRANGEBYSCORE', key(part .. 'begun'), before, '-inf', 'WITHSCORES', 'LIMIT', 0, limit)
  local traces = {}
  for i = 1, #found, 2 do
    traces[#traces + 1] = { found[i], found[i + 1], traceOf('hops', found[i]), traceOf('anonymous', found[i]) }
  end
  reply[#reply + 1] = traces
end
return reply`,

  // The summaries of both parts of each correlation id.
  readTracesOf: lua`
if not exists() then return gone() end
local reply = {}
while position < #ARGV do
  local correlationId = arg()
  reply[#reply + 1] = { correlationId, traceOf('hops', correlationId), traceOf('anonymous', correlationId) }
end
return reply`,
} as const;
