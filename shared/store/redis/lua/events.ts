import { lua } from './lua.ts';

/** Enters published events into the index by filter. */
export const EVENT_INDEX = lua`
local EVENT_TYPE_PREFIX = 'com.unified-commerce.'
-- Enters a number of missing events. Returns whether none is left.
local function enterEvents(most)
  local some = redis.call('XRANGE', key('events'), '(' .. (redis.call('HGET', root, 'eventsIndexed') or '0') .. '-0', '+', 'COUNT', most)
  if #some == 0 then return true end
  local order
  for _, stored in ipairs(some) do
    order = string.match(stored[1], '^(%d+)')
    local isJson, entry, event = pcall(function()
      local entry = cjson.decode(stored[2][2])
      return entry, cjson.decode(entry.json)
    end)
    if isJson and type(event) == 'table' then
      local name = tostring(event.type or '')
      if string.sub(name, 1, #EVENT_TYPE_PREFIX) == EVENT_TYPE_PREFIX then name = string.sub(name, #EVENT_TYPE_PREFIX + 1) end
      local place = '\0' .. padded(tonumber(order))
      redis.call('ZADD', key('eventsabout'),
        0, 'id ' .. tostring(entry.id) .. place,
        0, 'correlation ' .. tostring(event.correlationid or '') .. place,
        0, 'subject ' .. tostring(event.subject or '') .. place,
        0, 'type ' .. name .. place)
      if string.sub(name, 1, 4) ~= 'ext.' then redis.call('ZADD', key('eventsabout'), 0, 'named' .. place) end
    end
  end
  redis.call('HSET', root, 'eventsIndexed', order)
  return #some < most
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
