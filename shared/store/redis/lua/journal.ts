import { lua } from './lua.ts';

/** The streams of hops. */
export const JOURNAL = lua`
-- Bytes that this script adds to each part of the journal.
local addedBytes = {}
local function addPartBytes(part, bytes) addedBytes[part] = (addedBytes[part] or 0) + bytes end
local function writePartBytes()
  for part, bytes in pairs(addedBytes) do redis.call('HINCRBY', root, part .. 'Bytes', int(bytes)) end
end
local function addHop(part, requestId, correlationId, bytes, at, ...)
  local order = int(count('hopSeq'))
  redis.call('XADD', key(part), order .. '-0', 'r', requestId, 'c', correlationId, 'b', bytes, 'w', at, ...)
  redis.call('ZADD', key(part .. 'about'), 0, correlationId .. '\0' .. padded(tonumber(order)))
  redis.call('HSET', key('hopids'), requestId, order)
  addPartBytes(part, tonumber(bytes))
  return order
end
-- Sequences of the hops of a trace, oldest first; at most a number of them.
local function hopsOfTrace(part, correlationId, most)
  local found = redis.call('ZRANGEBYLEX', key(part .. 'about'), '(' .. correlationId .. '\0', '(' .. correlationId .. '\1', 'LIMIT', 0, most)
  for i, member in ipairs(found) do found[i] = int(tonumber(string.sub(member, -16))) end
  return found
end
-- Discards a hop. Returns its bytes.
local function forgetHop(part, correlationId, order)
  local hop = redis.call('XRANGE', key(part), order .. '-0', order .. '-0')[1]
  if not hop then return 0 end
  local requestId, bytes = hop[2][2], tonumber(hop[2][6])
  redis.call('XDEL', key(part), order .. '-0')
  redis.call('ZREM', key(part .. 'about'), correlationId .. '\0' .. padded(tonumber(order)))
  if redis.call('HGET', key('hopids'), requestId) == order then redis.call('HDEL', key('hopids'), requestId) end
  redis.call('HINCRBY', root, part .. 'Bytes', -bytes)
  local discardedTo = redis.call('HGET', root, part .. 'DiscardedTo')
  if tonumber(order) > tonumber(discardedTo or '0') then redis.call('HSET', root, part .. 'DiscardedTo', order) end
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
    trace.z = trace.z - forgetHop(part.name, change.correlationId, hopsOfTrace(part.name, change.correlationId, 1)[1])
    trace.h = trace.h - 1
  end
end
local function bytesOf(part) return tonumber(redis.call('HGET', root, part.name .. 'Bytes') or '0') end
-- Discards whole traces, the one with the oldest last hop first, but never the newest.
local function makeRoom(part)
  while redis.call('XLEN', key(part.name)) > part.records or bytesOf(part) > part.bytes do
    local oldest = redis.call('ZRANGE', key(part.name .. 'ended'), 0, 1)
    if #oldest < 2 then return end
    for _, order in ipairs(hopsOfTrace(part.name, oldest[1], -1)) do forgetHop(part.name, oldest[1], order) end
    forgetTrace(part.name, oldest[1])
    redis.call('HINCRBY', root, part.name .. 'Discarded', 1)
  end
end

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
for _, change in ipairs(changedTraces) do shorten(parts[change.part], change) end
writeTraces()
writePartBytes()
writeHopCounts()
for _, part in ipairs(parts) do makeRoom(part) end
remember(operation, '')
return 1`,
} as const;
