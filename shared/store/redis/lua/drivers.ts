import { lua } from './lua.ts';

/** The lease of the driver that advances the clock. */
export const DRIVERS = lua`
-- While a driver advances the clock, only this driver may set it and lease due work.
local function driver() return holder(redis.call('HGET', root, 'driver')) end
local function mayDrive(token)
  local held, running = driver()
  if token ~= '' then return held == token end
  return not running
end
-- A clock that flowed before flows on from its present time.
local function endAdvance()
  if redis.call('HGET', root, 'flowed') == '1' then redis.call('HSET', root, 'flowing', '1', 'clock', int(now() - wall())) end
  redis.call('HDEL', root, 'driver', 'flowed')
  changed()
end
`;
