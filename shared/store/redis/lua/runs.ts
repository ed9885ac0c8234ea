import { lua } from './lua.ts';

/** Functions of the scripts for runs. */
export const RUNS = lua`
local function putRun(id, version, head, body, leaseMs)
  redis.call('HSET', key('versions'), id, version)
  redis.call('HSET', key('heads'), id, head)
  redis.call('HSET', key('bodies'), id, body)
  if leaseMs == '' then redis.call('HDEL', key('held'), id)
  else redis.call('HSET', key('held'), id, int(wall() + tonumber(leaseMs))) end
end
local function runHeld(id)
  local till = redis.call('HGET', key('held'), id)
  return till and wall() < tonumber(till) and '1' or '0'
end
`;

/** Runs of scenarios. The key of each script has all runs: they belong to the estate, not to a world. */
export const runScripts = {
  addRun: lua`
local id, version, head, body, leaseMs = arg(), arg(), arg(), arg(), arg()
if redis.call('ZSCORE', key('order'), id) then return 0 end
redis.call('ZADD', key('order'), count('seq'), id)
putRun(id, version, head, body, leaseMs)
return 1`,

  // Only the next record of a run that has not ended. A repeat of the same record is answered as the first time.
  updateRun: lua`
local id, version, head, body, leaseMs = arg(), arg(), arg(), arg(), arg()
local before = redis.call('HGET', key('versions'), id)
if before == version and redis.call('HGET', key('heads'), id) == head and redis.call('HGET', key('bodies'), id) == body then return 1 end
if redis.call('HEXISTS', key('held'), id) == 0 or tonumber(version) ~= tonumber(before) + 1 then return 0 end
putRun(id, version, head, body, leaseMs)
return 1`,

  renewRun: lua`
local id, leaseMs = arg(), arg()
if redis.call('HEXISTS', key('held'), id) == 0 then return 0 end
redis.call('HSET', key('held'), id, int(wall() + tonumber(leaseMs)))
return 1`,

  // The runs without their bodies.
  runs: lua`
local reply = {}
for _, id in ipairs(redis.call('ZRANGE', key('order'), 0, -1)) do
  reply[#reply + 1] = { id, redis.call('HGET', key('versions'), id), redis.call('HGET', key('heads'), id), runHeld(id) }
end
return reply`,

  run: lua`
local id = arg()
if not redis.call('ZSCORE', key('order'), id) then return {} end
return { redis.call('HGET', key('versions'), id), redis.call('HGET', key('heads'), id), runHeld(id), redis.call('HGET', key('bodies'), id) }`,

  // A repeat would find no run, so the removal is remembered until the next one.
  removeRun: lua`
local id, operation = arg(), arg()
if redis.call('ZREM', key('order'), id) == 0 then return redis.call('HGET', root, 'removedBy') == operation and 1 or 0 end
for _, of in ipairs({ 'versions', 'heads', 'bodies', 'held' }) do redis.call('HDEL', key(of), id) end
redis.call('HSET', root, 'removedBy', operation)
return 1`,
} as const;
