import { GATEWAY } from '../../../catalog/applications.ts';
import { ACTIVE_WEBHOOKS, dueKey, TAKE_EVENTS } from '../../ports/due-work.ts';
import { lua } from './lua.ts';

const ACTIVE = `${GATEWAY}:i:${ACTIVE_WEBHOOKS.collection}.${ACTIVE_WEBHOOKS.index}`;
const TAKING = dueKey(GATEWAY, TAKE_EVENTS.kind, TAKE_EVENTS.key);
/** As `dueRest` of formats.ts makes it. */
const TAKING_REST = JSON.stringify({ ...TAKE_EVENTS, application: GATEWAY });

/** Unpublished events and pending deliveries. */
export const outboxScripts = {
  // Acknowledges sent events, removes withheld ones, and returns the next batch. An empty batch releases the lease in the same step. Only
  // sent events that a fault withheld need an operation: the others leave the outbox, where a repeat does not find them.
  drain: lua`
loadFields('formats', 'seq', 'formatsSeq', 'flowing', 'clock', 'revision', 'changes', 'dueSeq', 'eventsIndexed')
if not exists() then return {} end
local app, operation, token, leaseMs, limit = arg(), arg(), arg(), arg(), tonumber(arg())
local progress = decoded()
local outbox, entries = key(app .. ':outbox'), key(app .. ':entries')
local leased, isLeased = holder(redis.call('HGET', key('relays'), app))
if leased and leased ~= token and isLeased then return {} end
if (#progress.sent > 0 or #progress.withheld > 0) and not (operation ~= '' and resultOf(operation)) then
  local out, published, wait = {}, {}, QUIET
  for i, event in ipairs(progress.sent) do out[i] = event.id end
  local stored = #out > 0 and redis.call('HMGET', entries, unpack(out)) or {}
  for i, event in ipairs(progress.sent) do
    if event.entry then
      removeDue(app .. '|' .. PUBLISH_WITHHELD_EVENT .. '|' .. event.id)
      wait = nil
    end
    local entry = event.entry and longText(event.entry) or stored[i]
    if entry then published[#published + 1] = entry end
  end
  for _, event in ipairs(progress.withheld) do
    if redis.call('ZSCORE', outbox, event.id) then schedule(event.due) end
    out[#out + 1] = event.id
    wait = nil
  end
  callWith('ZREM', outbox, out)
  callWith('HDEL', entries, out)
  publishEvents(published)
  if #progress.sent > 0 and redis.call('EXISTS', key('${ACTIVE}')) == 1 then
    removeDue('${TAKING}')
    enterDue({ name = '${TAKING}', at = int(now()), seq = int(count('dueSeq')), attempts = '0', awaits = '', withheldBy = '', token = '', till = '0', rest = '${TAKING_REST}' })
    wait = nil
  end
  if operation ~= '' then remember(operation, '') end
  changed(wait)
  storeFields()
end
local ids = limit > 0 and redis.call('ZRANGE', outbox, 0, limit - 1) or {}
if #ids == 0 then
  if leased then redis.call('HDEL', key('relays'), app) end
  return {}
end
redis.call('HSET', key('relays'), app, lease(leaseMs, token))
return { faultRevision(), redis.call('HMGET', entries, unpack(ids)) }`,

  withheld: lua`
local app, fault, found = arg(), arg(), {}
for _, name in ipairs(redis.call('ZRANGE', key('kept'), 0, -1)) do
  local due = readDue(name)
  if due and due.withheldBy == fault and string.sub(name, 1, #app + 1) == app .. '|' then found[#found + 1] = due.stored end
end
return found`,

  // Whether an announced outbox has events, and whether a relay has leased it. Without events the announcement is outdated after a while.
  unsent: lua`
local app, since, keptMs = arg(), tonumber(arg()), tonumber(arg())
if redis.call('ZCARD', key(app .. ':outbox')) == 0 then
  if exists() then redis.call('SREM', key('unsent'), app) end
  return since + keptMs < wall() and 'outdated' or 'empty'
end
local _, isLeased = holder(redis.call('HGET', key('relays'), app))
return isLeased and 'carried' or 'free'`,

  // Key of the next two: the announcements of an application.
  announce: lua`
redis.call('ZADD', root, wall(), arg())
return 1`,

  withdraw: lua`
local world, since = arg(), arg()
if redis.call('ZSCORE', root, world) == since then redis.call('ZREM', root, world) end
return 1`,

  parkDelivery: lua`
local delivery, error = arg(), arg()
if not exists() or redis.call('ZREM', key('pending'), delivery) == 0 then return 0 end
park('delivery', delivery, error, '')
changed(QUIET)
return 1`,

  // Postpones a pending delivery: it becomes due work that awaits an application.
  postponeDelivery: lua`
local delivery, due = arg(), decoded()
if not exists() or not redis.call('ZSCORE', key('pending'), delivery) then return 0 end
local wait = waitFor(schedule(due))
changed(wait ~= QUIET and int(wait) or QUIET)
return 1`,
} as const;
