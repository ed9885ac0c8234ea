import { lua } from './lua.ts';

/** The journal: each part is a stream of hops and an index by correlation id. Scripts that use it begin with it. */
const JOURNAL = lua`
local function forgetOldest(part)
  local oldest = redis.call('XRANGE', key(part), '-', '+', 'COUNT', 1)[1]
  if not oldest then return end
  local order, fields = string.match(oldest[1], '^(%d+)'), oldest[2]
  redis.call('XDEL', key(part), oldest[1])
  redis.call('ZREM', key(part .. 'about'), fields[4] .. '\0' .. padded(tonumber(order)))
  if redis.call('HGET', key('hopids'), fields[2]) == order then redis.call('HDEL', key('hopids'), fields[2]) end
  redis.call('HINCRBY', root, part .. 'Bytes', -tonumber(fields[6]))
  redis.call('HSET', root, part .. 'Truncated', '1')
end
local function add(part, requestId, correlationId, bytes, at, json)
  local order = int(count('hopSeq'))
  redis.call('XADD', key(part), order .. '-0', 'r', requestId, 'c', correlationId, 'b', bytes, 'w', at, 'j', json)
  redis.call('ZADD', key(part .. 'about'), 0, correlationId .. '\0' .. padded(tonumber(order)))
  redis.call('HSET', key('hopids'), requestId, order)
  redis.call('HINCRBY', root, part .. 'Bytes', bytes)
end
-- Converts the list of records of an older release.
local function takeOver()
  for _, record in ipairs(redis.call('LRANGE', key('journal'), 0, -1)) do
    local isJson, hop = pcall(cjson.decode, record)
    if isJson then add('hops', hop.requestId, hop.correlationId, #record, '0', hop.json) end
  end
  redis.call('DEL', key('journal'))
end
`;

export const journalScripts = {
  // Arguments: the limits of each part, then the hops.
  journal: lua`
${JOURNAL}
if not exists() then return 0 end
local operation, parts = arg(), {}
for i = 1, tonumber(arg()) do parts[i] = { name = arg(), records = tonumber(arg()), bytes = tonumber(arg()) } end
if resultOf(operation) then return 0 end
if redis.call('EXISTS', key('journal')) == 1 then takeOver() end
while position < #ARGV do add(arg(), arg(), arg(), arg(), int(wall()), arg()) end
for _, part in ipairs(parts) do
  local records, bytes = redis.call('XLEN', key(part.name)), tonumber(redis.call('HGET', root, part.name .. 'Bytes') or '0')
  while records > part.records or (bytes > part.bytes and records > 1) do
    forgetOldest(part.name)
    records, bytes = records - 1, tonumber(redis.call('HGET', root, part.name .. 'Bytes'))
  end
end
remember(operation, '')
return 1`,

  // Wall time, whether older hops were discarded, then the newest hops of each part, newest first.
  readJournal: lua`
${JOURNAL}
if not exists() then return gone() end
local only, correlationId, limit = arg() == '1', arg(), arg()
if redis.call('EXISTS', key('journal')) == 1 then takeOver() end
local reply = { int(wall()), redis.call('HGET', root, 'hopsTruncated') or '0' }
while position < #ARGV do
  local part, hops = arg(), {}
  if only then
    local about = '(' .. correlationId
    for i, member in ipairs(redis.call('ZREVRANGEBYLEX', key(part .. 'about'), about .. '\1', about .. '\0', 'LIMIT', 0, limit)) do
      local order = string.format('%.0f', tonumber(string.sub(member, -16))) .. '-0'
      hops[i] = redis.call('XRANGE', key(part), order, order)[1]
    end
  else
    hops = redis.call('XREVRANGE', key(part), '+', '-', 'COUNT', limit)
  end
  reply[#reply + 1] = hops
end
return reply`,
} as const;
