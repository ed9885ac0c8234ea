import { lua } from './lua.ts';

/**
 * Summaries of traces, by the rules of `store/trace-summary.ts`. A summary is JSON with short names, because every hop rewrites it:
 * s sequence, b begun, e ended, n now (rehearsal), o from outside, f start of the naming hop, m method, p path, i API, a application,
 * c status, d duration, r requests, k calls, v deliveries, x failed; h kept hops, z their bytes, l sequence of the last hop;
 * F, A, I: sets of names.
 */
export const TRACES = lua`
-- The summaries that this script changes: by number, and by part and correlation id.
local changedTraces = {}

local function readHopFacts()
  local hop = { kind = arg(), application = arg(), caller = arg(), api = arg(), method = arg(), path = arg() }
  hop.status, hop.startedAt, hop.at, hop.ms, hop.faults = tonumber(arg()), tonumber(arg()), tonumber(arg()), tonumber(arg()), {}
  for i = 1, tonumber(arg()) do hop.faults[i] = arg() end
  return hop
end
local function changingTrace(part, correlationId, sequence)
  local name = part .. '\0' .. correlationId
  local change = changedTraces[name]
  if change then return change end
  local stored = redis.call('HGET', key(part .. 'traces'), correlationId)
  change = { part = part, correlationId = correlationId, trace = stored and cjson.decode(stored), bytes = stored and #stored or 0 }
  if not stored then redis.call('ZADD', key(part .. 'begun'), sequence, correlationId) end
  changedTraces[name] = change
  changedTraces[#changedTraces + 1] = change
  return change
end
local function badness(status)
  if status >= 500 then return 3 elseif status == 0 then return 2 elseif status >= 400 then return 1 end
  return 0
end
local function addToTrace(part, correlationId, sequence, bytes, hop)
  local change = changingTrace(part, correlationId, sequence)
  local isOutside, isNew = hop.kind == 'request', not change.trace
  local trace = change.trace or { s = tonumber(sequence), r = 0, k = 0, v = 0, x = 0, h = 0, z = 0, F = {}, A = {}, I = {} }
  change.trace = trace
  trace.h, trace.z, trace.l = trace.h + 1, trace.z + bytes, tonumber(sequence)
  if isNew or hop.startedAt < trace.b then trace.b, trace.n = hop.startedAt, hop.at end
  trace.e = math.max(trace.e or 0, hop.startedAt + math.floor(hop.ms + 0.5))
  local names = isNew
  if not isNew then
    if isOutside ~= trace.o then names = isOutside
    elseif not isOutside then names = hop.startedAt <= trace.f
    else
      local worse = badness(hop.status) - badness(trace.c)
      names = worse > 0 or (worse == 0 and hop.startedAt >= trace.f)
    end
  end
  if names then
    trace.o, trace.f, trace.m, trace.p, trace.i, trace.a = isOutside, hop.startedAt, hop.method, hop.path, hop.api, hop.application
    trace.c, trace.d = hop.status, hop.ms
  end
  if isOutside and hop.status > 0 then trace.r = trace.r + 1 end
  if hop.kind == 'call' then trace.k = trace.k + 1 elseif hop.kind == 'delivery' then trace.v = trace.v + 1 end
  if hop.status == 0 or hop.status >= 400 then trace.x = trace.x + 1 end
  for _, fault in ipairs(hop.faults) do trace.F[fault] = 1 end
  trace.A[hop.application], trace.I[hop.api] = 1, 1
end
local function writeTraces()
  for _, change in ipairs(changedTraces) do
    local stored = cjson.encode(change.trace)
    redis.call('HSET', key(change.part .. 'traces'), change.correlationId, stored)
    redis.call('ZADD', key(change.part .. 'ended'), change.trace.l, change.correlationId)
    addPartBytes(change.part, #stored - change.bytes)
  end
end
local function forgetTrace(part, correlationId)
  local bytes = redis.call('HSTRLEN', key(part .. 'traces'), correlationId)
  redis.call('HDEL', key(part .. 'traces'), correlationId)
  redis.call('ZREM', key(part .. 'begun'), correlationId)
  redis.call('ZREM', key(part .. 'ended'), correlationId)
  if bytes > 0 then raise(part .. 'Bytes', -bytes) end
end
-- Counts by field: 'hops <application>', 'failed <application>', 'fault <application> <name>', 'calls <from> <to>', 'callsFailed <from> <to>'.
local hopCounts, MOST_COUNTS = {}, 4000
local function countField(field) hopCounts[field] = (hopCounts[field] or 0) + 1 end
local function countHop(hop)
  local failed, between = hop.status == 0 or hop.status >= 400, hop.caller .. ' ' .. hop.application
  countField('hops ' .. hop.application)
  if failed then countField('failed ' .. hop.application) end
  for _, fault in ipairs(hop.faults) do countField('fault ' .. hop.application .. ' ' .. fault) end
  if hop.caller == '' then return end
  countField('calls ' .. between)
  if failed then countField('callsFailed ' .. between) end
end
local function writeHopCounts()
  -- Names of faults are chosen by clients, so they have a bound.
  local isFull, fields, sums = nil, {}, {}
  for field in pairs(hopCounts) do
    local isFault = string.sub(field, 1, 6) == 'fault '
    if isFault and isFull == nil then isFull = redis.call('HLEN', key('hopcounts')) >= MOST_COUNTS end
    if not isFault or not isFull then fields[#fields + 1] = field end
  end
  for i, before in ipairs(readWith('HMGET', key('hopcounts'), fields)) do
    sums[2 * i - 1], sums[2 * i] = fields[i], int(tonumber(before or '0') + hopCounts[fields[i]])
  end
  callWith('HSET', key('hopcounts'), sums)
end
`;
