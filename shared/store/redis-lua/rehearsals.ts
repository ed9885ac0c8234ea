import { lua } from './prelude.ts';

/** Rehearsals, and the worlds that they stand for. */
export const rehearsalScripts = {
  // Of a rehearsal: what the edge knows of its current world. With an id, only while it is current.
  view: lua`
local id = arg()
local is = redis.call('HMGET', KEYS[1], 'ulid', 'credentials')
if not is[1] or (id ~= '' and id ~= is[1]) then return {} end
root = KEYS[1] .. '~' .. is[1]
local world = redis.call('HMGET', root, 'flowing', 'progression', 'revision')
local faults = redis.call('EXISTS', key('faults')) == 1 and world[3] or '0'
return { is[1], is[2], world[1], int(now()), world[2] or '', faults }`,

  // Of a rehearsal: makes a seeded world the current one, if it may be. Its clock starts here. Returns the one before.
  switch: lua`
local only, id, credentials, createdAt, at = arg(), arg(), arg(), arg(), arg()
local old = redis.call('HGET', KEYS[1], 'ulid')
root = KEYS[1] .. '~' .. id
-- It was done before, and meanwhile another may have become current.
if exists() then return redis.call('HGET', KEYS[1], 'before') or '' end
if (only == 'absent' and old) or (only == 'present' and not old) then return 'no' end
redis.call('HSET', root, 'createdAt', createdAt, 'flowing', '1', 'clock', int(tonumber(at) - wall()), 'revision', '0')
for _ = 1, tonumber(arg()) do redis.call('HSET', root, arg(), arg()) end
redis.call('HSET', KEYS[1], 'ulid', id, 'before', old or '')
redis.call('HSETNX', KEYS[1], 'since', int(wall()))
redis.call('HSETNX', KEYS[1], 'credentials', credentials)
changed()
return old or ''`,

  // Of a rehearsal: forgets it. Returns the world that it had.
  remove: lua`
local operation = arg()
local note = KEYS[1] .. ':removed:' .. operation
local done = redis.call('GET', note)
if done then return done end
local id = redis.call('HGET', KEYS[1], 'ulid')
if not id then return '' end
redis.call('DEL', KEYS[1])
redis.call('SET', note, id, 'PX', OPERATIONS_MS)
return id`,

  // Of a rehearsal: whether a world may be dropped. From then on nothing writes into it.
  retire: lua`
local id = arg()
if redis.call('HGET', KEYS[1], 'ulid') == id then return 0 end
redis.call('DEL', KEYS[1] .. '~' .. id)
return 1`,

  now: lua`
if not exists() then return gone() end
return int(now())`,
} as const;
