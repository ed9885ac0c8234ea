import { lua } from './lua.ts';

/** Enters published events into the index by filter. */
export const EVENT_INDEX = lua`
local EVENT_TYPE_PREFIX = 'com.unified-commerce.'
-- The members of an event that name it, as 'eventHead' reads them: the estate writes them first. Any other text is parsed.
local function headOfEvent(json)
  local name, subject, place = string.match(json, '^{"specversion":"1%.0","id":"[^"\\]*","source":"[^"\\]*","type":"([^"\\]*)","subject":"([^"\\]*)",()')
  while place do
    local correlation = string.match(json, '^"correlationid":"([^"\\]*)"', place)
    if correlation then return { type = name, subject = subject, correlationid = correlation } end
    place = string.match(json, '^"%l+":"[^"\\]*",()', place) or string.match(json, '^"%l+":%d+,()', place)
  end
  return cjson.decode(json)
end
-- Adds the members of an event to a list of scores and members.
local function addEvent(list, order, stored)
  local isJson, entry, event = pcall(function()
    local entry = cjson.decode(stored)
    return entry, headOfEvent(entry.json)
  end)
  if not isJson or type(event) ~= 'table' then return end
  local name, place = tostring(event.type or ''), '\0' .. padded(order)
  if string.sub(name, 1, #EVENT_TYPE_PREFIX) == EVENT_TYPE_PREFIX then name = string.sub(name, #EVENT_TYPE_PREFIX + 1) end
  local function add(about)
    list[#list + 1] = 0
    list[#list + 1] = about .. place
  end
  add('id ' .. tostring(entry.id))
  add('correlation ' .. tostring(event.correlationid or ''))
  add('subject ' .. tostring(event.subject or ''))
  add('type ' .. name)
  if string.sub(name, 1, 4) ~= 'ext.' then add('named') end
end
-- Enters a number of missing events. Returns whether none is left.
local function enterEvents(most)
  local some = redis.call('XRANGE', key('events'), '(' .. (worldField('eventsIndexed') or '0') .. '-0', '+', 'COUNT', most)
  if #some == 0 then return true end
  local list, order = {}, nil
  for _, stored in ipairs(some) do
    order = string.match(stored[1], '^(%d+)')
    addEvent(list, tonumber(order), stored[2][2])
  end
  callWith('ZADD', key('eventsabout'), list)
  setField('eventsIndexed', order)
  return #some < most
end
-- Publishes events of the outbox. Enters them, unless earlier ones are missing.
local function publishEvents(entries)
  local before, list = redis.call('XLEN', key('events')), {}
  local isComplete = tonumber(worldField('eventsIndexed') or '0') == before
  for i, stored in ipairs(entries) do
    redis.call('XADD', key('events'), int(before + i) .. '-0', 'e', stored)
    if isComplete then addEvent(list, before + i, stored) end
  end
  if not isComplete then enterEvents(#entries + 1)
  elseif #entries > 0 then
    callWith('ZADD', key('eventsabout'), list)
    setField('eventsIndexed', int(before + #entries))
  end
end
`;

export const eventScripts = {
  // The order of the last event, the number of events that match a filter, then the matching events after an order; without an order, the
  // newest ones. An empty reply: call again, because one script enters only a limited number of events.
  eventsAbout: lua`
if not exists() then return gone() end
local about, after, limit = arg(), arg(), arg()
if not enterEvents(500) then return {} end
local index, from, to, found = key('eventsabout'), '(' .. about .. '\0', '(' .. about .. '\1', nil
local reply = { redis.call('XLEN', key('events')), redis.call('ZLEXCOUNT', index, from, to) }
if after == '' then found = redis.call('ZREVRANGEBYLEX', index, to, from, 'LIMIT', 0, limit)
else found = redis.call('ZRANGEBYLEX', index, from .. padded(tonumber(after)), to, 'LIMIT', 0, limit) end
for _, member in ipairs(found) do
  local order = string.format('%.0f', tonumber(string.sub(member, -16))) .. '-0'
  reply[#reply + 1] = redis.call('XRANGE', key('events'), order, order)[1]
end
return reply`,
} as const;
