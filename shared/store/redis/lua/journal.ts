import { MOST_FIRSTS, SHARE_OF_FIRST } from '../../journal-limits.ts';
import { lua } from './lua.ts';

/** The streams of hops. */
export const JOURNAL = lua`
local function addPartBytes(part, bytes) raise(part .. 'Bytes', bytes) end
-- The entries of the indexes for the hops that this script adds: by part, and by request id.
local aboutHops, idsOfHops = {}, {}
local function addHop(part, requestId, correlationId, bytes, at, ...)
  local order = int(count('hopSeq'))
  redis.call('XADD', key(part), order .. '-0', 'r', requestId, 'c', correlationId, 'b', bytes, 'w', at, ...)
  local about = aboutHops[part] or {}
  aboutHops[part] = about
  about[#about + 1] = 0
  about[#about + 1] = correlationId .. '\0' .. padded(tonumber(order))
  idsOfHops[#idsOfHops + 1] = requestId
  idsOfHops[#idsOfHops + 1] = order
  addPartBytes(part, tonumber(bytes))
  return order
end
local function writeHopIndexes()
  for part, about in pairs(aboutHops) do callWith('ZADD', key(part .. 'about'), about) end
  callWith('HSET', key('hopids'), idsOfHops)
end
-- Sequences of the hops of a trace, oldest first; at most a number of them.
local function hopsOfTrace(part, correlationId, most)
  local found = redis.call('ZRANGEBYLEX', key(part .. 'about'), '(' .. correlationId .. '\0', '(' .. correlationId .. '\1', 'LIMIT', 0, most)
  for i, member in ipairs(found) do found[i] = int(tonumber(string.sub(member, -16))) end
  return found
end
-- Discards hops. Returns their bytes.
local function forgetHops(part, correlationId, orders)
  local bytes, found, streamed, about, requestIds, outdated = 0, {}, {}, {}, {}, {}
  for _, order in ipairs(orders) do
    local hop = redis.call('XRANGE', key(part), order .. '-0', order .. '-0')[1]
    if hop then
      found[#found + 1], requestIds[#requestIds + 1], streamed[#streamed + 1] = order, hop[2][2], order .. '-0'
      about[#about + 1] = correlationId .. '\0' .. padded(tonumber(order))
      bytes = bytes + tonumber(hop[2][6])
    end
  end
  if #found == 0 then return 0 end
  callWith('XDEL', key(part), streamed)
  callWith('ZREM', key(part .. 'about'), about)
  -- A later hop may have the same request id.
  for i, order in ipairs(readWith('HMGET', key('hopids'), requestIds)) do
    if order == found[i] then outdated[#outdated + 1] = requestIds[i] end
  end
  callWith('HDEL', key('hopids'), outdated)
  addPartBytes(part, -bytes)
  local last = found[#found]
  if tonumber(last) > tonumber(worldField(part .. 'DiscardedTo') or '0') then setField(part .. 'DiscardedTo', last) end
  return bytes
end
-- A hop without its bodies.
local function headOf(hop)
  local fields = hop[2]
  if fields[11] == 'o' then fields[11], fields[12] = nil, nil end
  return hop
end
local function hopAt(part, order) return redis.call('XRANGE', key(part), order .. '-0', order .. '-0')[1] end
local function traceOf(part, correlationId) return redis.call('HGET', key(part .. 'traces'), correlationId) or '' end
`;

export const journalScripts = {
  // Arguments: the limits of each part, then the hops.
  journal: lua`
-- A trace that fills more than its share loses its oldest hops.
local function shorten(part, change)
  local trace = change.trace
  while trace.h > part.most.records or (trace.z > part.most.bytes and trace.h > 1) do
    trace.z = trace.z - forgetHops(part.name, change.correlationId, hopsOfTrace(part.name, change.correlationId, 1))
    trace.h = trace.h - 1
  end
end
local function bytesOf(part) return tonumber(worldField(part.name .. 'Bytes') or '0') end
-- Keeps a trace that would be discarded, if it is the first one of its API and outcome.
local function stays(part, correlationId)
  if part.name ~= 'hops' then return false end
  local stored = redis.call('HGET', key('hopstraces'), correlationId)
  local trace = stored and cjson.decode(stored)
  local function most(limit) return math.ceil(limit * ${SHARE_OF_FIRST}) end
  if not trace or not trace.o or trace.h > most(part.records) or trace.z > most(part.bytes) then return false end
  local firsts, kind = key('hopsfirsts'), trace.i .. ' ' .. badness(trace.c)
  local first = redis.call('HGET', firsts, kind)
  if first and first ~= correlationId or not first and redis.call('HLEN', firsts) >= ${MOST_FIRSTS} then return false end
  redis.call('HSET', firsts, kind, correlationId)
  redis.call('ZREM', key('hopsended'), correlationId)
  return true
end
-- Discards whole traces, the one with the oldest last hop first, but never the newest.
local function makeRoom(part)
  while redis.call('XLEN', key(part.name)) > part.records or bytesOf(part) > part.bytes do
    local oldest = redis.call('ZRANGE', key(part.name .. 'ended'), 0, 1)
    if #oldest < 2 then return end
    if not stays(part, oldest[1]) then
      forgetHops(part.name, oldest[1], hopsOfTrace(part.name, oldest[1], -1))
      forgetTrace(part.name, oldest[1])
      count(part.name .. 'Discarded')
    end
  end
end

loadFields('formats', 'seq', 'formatsSeq', 'hopSeq', 'hopsBytes', 'anonymousBytes', 'hopsDiscardedTo', 'anonymousDiscardedTo', 'hopsDiscarded', 'anonymousDiscarded')
if not exists() then return 0 end
local operation, parts = arg(), {}
local function readLimit() return { records = tonumber(arg()), bytes = tonumber(arg()) } end
for i = 1, tonumber(arg()) do
  local part, limit, most = arg(), readLimit(), readLimit()
  parts[i] = { name = part, records = limit.records, bytes = limit.bytes, most = most }
  parts[part] = parts[i]
end
if resultOf(operation) then return 0 end
while position < #ARGV do
  local part, requestId, correlationId, bytes, head, bodies = arg(), arg(), arg(), arg(), arg(), arg()
  local facts = bodies == '' and { 'h', head } or { 'h', head, 'o', bodies }
  local sequence, hop = addHop(part, requestId, correlationId, bytes, int(wall()), unpack(facts)), readHopFacts()
  addToTrace(part, correlationId, sequence, tonumber(bytes), hop)
  countHop(hop)
end
writeHopIndexes()
for _, change in ipairs(changedTraces) do shorten(parts[change.part], change) end
writeTraces()
writeHopCounts()
for _, part in ipairs(parts) do
  if aboutHops[part.name] then makeRoom(part) end
end
storeFields()
remember(operation, '')
return 1`,
} as const;
