import { lua } from './lua.ts';

/** A world's clock and its drivers. */
export const clockScripts = {
  // State of the clock of a current world; empty for any other. A clock that a dead driver stopped flows again.
  status: lua`
local rehearsal, id = string.match(KEYS[1], '^(.*)~([^~]*)$')
if redis.call('HGET', rehearsal, 'ulid') ~= id or not exists() then return {} end
local held, advancing = driver()
if held and not advancing then endAdvance() end
local next = lowest('+inf')
return {
  int(now()),
  redis.call('HGET', root, 'flowing'),
  advancing and '1' or '0',
  redis.call('ZCARD', key('running')) + #replacedRuns(),
  next and next.stored or '',
}`,

  setClock: lua`
if not exists() then return gone() end
local operation, at, flowing, token = arg(), arg(), arg(), arg()
local done = resultOf(operation)
if done then return done end
if not mayDrive(token) then return remember(operation, '0') end
if token == '' then redis.call('HDEL', root, 'driver', 'flowed') end
redis.call('HSET', root, 'flowing', flowing, 'clock', flowing == '1' and int(tonumber(at) - wall()) or at)
changed()
return remember(operation, '1')`,

  // Stops the clock. Stores whether it flowed, so that it flows again when the lease ends.
  leaseClock: lua`
if not exists() then return gone() end
local token, ms = arg(), arg()
local held, running = driver()
if held and held ~= token and running then return 0 end
if not held then
  local at = int(now())
  redis.call('HSET', root, 'flowed', redis.call('HGET', root, 'flowing'), 'flowing', '0', 'clock', at)
end
redis.call('HSET', root, 'driver', lease(ms, token))
changed()
return 1`,

  renewClock: lua`
local token, ms = arg(), arg()
if driver() ~= token or not exists() then return 0 end
redis.call('HSET', root, 'driver', lease(ms, token))
return 1`,

  releaseClock: lua`
if driver() == arg() and exists() then endAdvance() end
return 1`,
} as const;
