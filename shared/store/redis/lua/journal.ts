import { lua } from './lua.ts';

/** The streams of hops. */
export const JOURNAL = lua`
local function addHop(part, requestId, correlationId, bytes, at, ...)
  local order = int(count('hopSeq'))
  redis.call('XADD', key(part), order .. '-0', 'r', requestId, 'c', correlationId, 'b', bytes, 'w', at, ...)
  redis.call('ZADD', key(part .. 'about'), 0, correlationId .. '\0' .. padded(tonumber(order)))
  redis.call('HSET', key('hopids'), requestId, order)
  redis.call('HINCRBY', root, part .. 'Bytes', bytes)
  return order
end
-- The list of records of an older release becomes streams.
local function convertJournal()
  if redis.call('EXISTS', key('journal')) == 0 then return end
  for _, record in ipairs(redis.call('LRANGE', key('journal'), 0, -1)) do
    local isJson, hop = pcall(cjson.decode, record)
    if isJson then addHop('hops', hop.requestId, hop.correlationId, #record, '0', 'j', hop.json) end
  end
  redis.call('DEL', key('journal'))
end
-- A hop without its bodies. A hop of an older release has them in one field with the rest.
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
local function forgetOldest(part)
  local oldest = redis.call('XRANGE', key(part), '-', '+', 'COUNT', 1)[1]
  if not oldest then return end
  local order, fields = string.match(oldest[1], '^(%d+)'), oldest[2]
  local requestId, correlationId = fields[2], fields[4]
  redis.call('XDEL', key(part), oldest[1])
  redis.call('ZREM', key(part .. 'about'), correlationId .. '\0' .. padded(tonumber(order)))
  if redis.call('HGET', key('hopids'), requestId) == order then redis.call('HDEL', key('hopids'), requestId) end
  redis.call('HINCRBY', root, part .. 'Bytes', -tonumber(fields[6]))
  redis.call('HSET', root, part .. 'Truncated', '1')
  local about = key(part .. 'about')
  local isLast = #redis.call('ZRANGEBYLEX', about, '(' .. correlationId .. '\0', '(' .. correlationId .. '\1', 'LIMIT', 0, 1) == 0
  if isLast then forgetTrace(part, correlationId) end
end

if not exists() then return 0 end
local operation, parts = arg(), {}
for i = 1, tonumber(arg()) do parts[i] = { name = arg(), records = tonumber(arg()), bytes = tonumber(arg()) } end
if resultOf(operation) then return 0 end
convertJournal()
while position < #ARGV do
  local part, requestId, correlationId, bytes, head, bodies = arg(), arg(), arg(), arg(), arg(), arg()
  local facts = bodies == '' and { 'h', head } or { 'h', head, 'o', bodies }
  local sequence = addHop(part, requestId, correlationId, bytes, int(wall()), unpack(facts))
  addToTrace(part, correlationId, sequence, readHopFacts())
end
writeTraces()
for _, part in ipairs(parts) do
  local records, bytes = redis.call('XLEN', key(part.name)), tonumber(redis.call('HGET', root, part.name .. 'Bytes') or '0')
  while records > part.records or (bytes > part.bytes and records > 1) do
    forgetOldest(part.name)
    records, bytes = records - 1, tonumber(redis.call('HGET', root, part.name .. 'Bytes'))
  end
end
remember(operation, '')
return 1`,
} as const;
