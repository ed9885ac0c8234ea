import { lua } from './lua.ts';

/** Kept snapshots. The key of each script is the root of their keys: they belong to the estate, not to a world. */
export const snapshotScripts = {
  // Lists a content that has been written, and frees the content that it replaces. Returns 0 when the maximum number is reached.
  keepSnapshot: lua`
local name, id, head, most = arg(), arg(), arg(), tonumber(arg())
local before = redis.call('HGET', key('ids'), name)
if before == id then return 1 end
if not before and redis.call('HLEN', key('ids')) >= most then
  redis.call('UNLINK', key(id))
  return 0
end
redis.call('PERSIST', key(id))
redis.call('HSET', key('ids'), name, id)
redis.call('HSET', key('heads'), name, head)
if before then redis.call('UNLINK', key(before)) end
return 1`,

  // A repeat finds nothing, so the operation of the last removal is remembered.
  removeSnapshot: lua`
local name, operation = arg(), arg()
local id = redis.call('HGET', key('ids'), name)
if not id then return redis.call('HGET', root, 'removedBy') == operation and 1 or 0 end
redis.call('HDEL', key('ids'), name)
redis.call('HDEL', key('heads'), name)
redis.call('UNLINK', key(id))
redis.call('HSET', root, 'removedBy', operation)
return 1`,
} as const;
