import { lua } from './lua.ts';

/**
 * Rehearsals and their current worlds. The key of each script is a rehearsal, except for `revokeToken`, `nextNumber`, `addEvents`, `leaveOut`,
 * `now` and `clockOf`, whose key is a world.
 */
export const rehearsalScripts = {
  // The view of the current world. With an id, only while that world is current.
  view: lua`
local id = arg()
local is = redis.call('HMGET', KEYS[1], 'ulid', 'credentials')
if not is[1] or (id ~= '' and id ~= is[1]) then return {} end
root = KEYS[1] .. '~' .. is[1]
loadFields('formats', 'seq', 'formatsSeq', 'flowing', 'clock', 'revision', 'progression', 'bytes', 'movesSeq', 'seed', 'startsAt', 'lineage', 'reference', 'tokenGeneration', 'tokensExpired')
if not exists() then return { is[1] } end
local reply = { is[1], is[2], loaded.flowing, int(now()), loaded.progression or '', faultRevision(), loaded.bytes or '0', loaded.movesSeq or '0' }
for i, name in ipairs({ 'seed', 'startsAt', 'lineage', 'reference', 'tokenGeneration', 'tokensExpired' }) do reply[8 + i] = loaded[name] or '' end
return reply`,

  // The size of the current world, from counts.
  summary: lua`
local is = redis.call('HMGET', KEYS[1], 'ulid', 'since', 'labels')
if not is[1] then return {} end
root = KEYS[1] .. '~' .. is[1]
if not exists() then return { is[1], is[2] or '0' } end
local world = redis.call('HMGET', root, 'createdAt', 'order', 'bytes', 'hopsBytes', 'anonymousBytes')
local bytes = 0
for i = 3, 5 do bytes = bytes + tonumber(world[i] or '0') end
local hops = redis.call('XLEN', key('hops')) + redis.call('XLEN', key('anonymous'))
return { is[1], is[2] or '0', world[1], int(now()), world[2] or '0', redis.call('XLEN', key('events')), hops, int(bytes), is[3] or '' }`,

  // Makes a seeded world the current one, if the rehearsal has the expected state and world. The world's clock starts here.
  switch: lua`
local only, before, id, credentials, labels, createdAt, at = arg(), arg(), arg(), arg(), arg(), arg(), arg()
local old = redis.call('HGET', KEYS[1], 'ulid')
root = KEYS[1] .. '~' .. id
-- A repeated call.
if exists() then return 'yes' end
if (only == 'absent' and old) or (only == 'present' and not old) then return 'no' end
if (old or '') ~= before then return 'another' end
redis.call('HSET', root, 'createdAt', createdAt, 'flowing', '1', 'clock', int(tonumber(at) - wall()), 'revision', '0')
for _ = 1, tonumber(arg()) do redis.call('HSET', root, arg(), arg()) end
noteFormats()
redis.call('HSET', KEYS[1], 'ulid', id)
redis.call('HDEL', KEYS[1], 'refused')
-- In milliseconds with a fraction: rehearsals of the same millisecond are listed in the order of creation too.
local time = redis.call('TIME')
redis.call('HSETNX', KEYS[1], 'since', string.format('%.3f', time[1] * 1000 + time[2] / 1000))
redis.call('HSETNX', KEYS[1], 'credentials', credentials)
if labels ~= '' then redis.call('HSETNX', KEYS[1], 'labels', labels) end
changed()
if old then
  root = KEYS[1] .. '~' .. old
  if exists() then changed() end
end
return 'yes'`,

  // Removes the rehearsal if this is its current world, and notifies the drivers of the clock.
  remove: lua`
local id, operation = arg(), arg()
local is = redis.call('HGET', KEYS[1], 'ulid')
root = KEYS[1] .. '~' .. id
if is ~= id then return redis.call('HGET', root, 'removedBy') == operation and 'yes' or 'another' end
redis.call('DEL', KEYS[1])
if exists() then
  redis.call('HSET', root, 'removedBy', operation)
  changed()
end
return 'yes'`,

  // Drops a world with all its keys, unless it is current. Redis frees their memory in the background. Arguments after the id: names of keys.
  drop: lua`
local id = arg()
if redis.call('HGET', KEYS[1], 'ulid') == id then return 0 end
root = KEYS[1] .. '~' .. id
for _, name in ipairs(redis.call('SMEMBERS', key('keys'))) do redis.call('UNLINK', key(name)) end
while position < #ARGV do redis.call('UNLINK', key(arg())) end
redis.call('DEL', root)
return 1`,

  // Forgets the revocations of tokens that have expired.
  revokeToken: lua`
local id, ends = arg(), arg()
if not exists() then return 0 end
redis.call('ZREMRANGEBYSCORE', key('revoked'), '-inf', int(now()))
redis.call('ZADD', key('revoked'), ends, id)
return 1`,

  // Begins a generation of access tokens: tokens of earlier generations have expired.
  expireTokens: lua`
local generation, at = arg(), arg()
if not exists() then return 0 end
if tonumber(redis.call('HGET', root, 'tokenGeneration') or '0') >= tonumber(generation) then return 0 end
redis.call('HSET', root, 'tokenGeneration', generation, 'tokensExpired', at)
return 1`,

  nextNumber: lua`
if not exists() then return gone() end
return redis.call('HINCRBY', key('numbers'), arg(), 1)`,

  // Enters published events of a world that is being opened. The first argument is the number of the events before them.
  addEvents: lua`
local order = tonumber(arg())
while position < #ARGV do
  local entry = arg()
  order = order + 1
  if redis.call('XLEN', key('events')) < order then redis.call('XADD', key('events'), int(order) .. '-0', 'e', entry) end
end
return 1`,

  // Removes the due and the parked work of an application from a world that is being opened. Returns the applications with unsent events.
  leaveOut: lua`
local prefix = arg() .. '|'
for _, name in ipairs(redis.call('HKEYS', key('due'))) do
  if string.sub(name, 1, #prefix) == prefix then removeDue(name) end
end
for _, member in ipairs(redis.call('ZRANGE', key('parked'), 0, -1)) do
  if string.sub(member, 1, #prefix + 4) == 'due|' .. prefix then
    redis.call('ZREM', key('parked'), member)
    redis.call('HDEL', key('parkings'), member)
  end
end
return redis.call('SMEMBERS', key('unsent'))`,

  now: lua`
if not exists() then return gone() end
return int(now())`,

  // The clock of any world, also of one that another release wrote.
  clockOf: lua`
if redis.call('EXISTS', root) == 0 then return gone() end
return int(now())`,

  // The facts about a world that another release wrote: its id, its version, whether it was used, the note of a refusal, and its stamp. Empty for other worlds.
  foreign: lua`
local is = redis.call('HMGET', KEYS[1], 'ulid', 'refused')
if not is[1] then return {} end
root = KEYS[1] .. '~' .. is[1]
if exists() or redis.call('EXISTS', root) == 0 then return {} end
local used = redis.call('HMGET', root, 'seq', 'revision', 'progression')
local isUsed = used[1] or (used[2] or '0') ~= '0' or used[3]
return { is[1], versionOfFormats(), isUsed and '1' or '0', is[2] or '', stamp() }`,

  // Converts a world, and gives it the version of this release, if nothing has changed since it was read. The clock and the relays find its work.
  adopt: lua`
local id, before, read, seed = arg(), arg(), arg(), arg()
if redis.call('HGET', KEYS[1], 'ulid') ~= id then return 0 end
root = KEYS[1] .. '~' .. id
if exists() then return 1 end
if redis.call('EXISTS', root) == 0 or versionOfFormats() ~= before or stamp() ~= read then return 0 end
local bytes = 0
local function replaced(text, by) bytes = bytes + #by - #(text or '') end
if seed ~= '' then
  replaced(redis.call('GET', key('seed')), seed)
  redis.call('SET', key('seed'), seed)
end
for _ = 1, tonumber(arg()) do
  local command, app, name, one, other = arg(), arg(), arg(), arg(), arg()
  local at = writable(app, name)
  if string.sub(name, 1, 2) == 'o:' then replaced(redis.call('HGET', at, one), other) end
  if other == '' or command == 'HDEL' then redis.call(command, at, one) else redis.call(command, at, one, other) end
end
noteKeys()
addBytes(bytes)
noteFormats()
redis.call('HDEL', KEYS[1], 'refused')
changed()
return 1`,

  // Notes beside the current world why it is refused.
  refuse: lua`
local id, note = arg(), arg()
if redis.call('HGET', KEYS[1], 'ulid') ~= id then return 0 end
redis.call('HSET', KEYS[1], 'refused', note)
return 1`,
} as const;
