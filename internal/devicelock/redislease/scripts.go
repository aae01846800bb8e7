package redislease

import "github.com/redis/go-redis/v9"

// scripts are the decisions. Each gets the device's keys (see [names]) as KEYS.
type scripts struct {
	acquire, withdraw, inspect, renew, free, take *redis.Script
}

func newScripts() scripts {
	return scripts{
		acquire:  redis.NewScript(prelude + acquire),
		withdraw: redis.NewScript(prelude + withdraw),
		inspect:  redis.NewScript(prelude + inspect),
		renew:    redis.NewScript(prelude + renew),
		free:     redis.NewScript(prelude + free),
		take:     redis.NewScript(prelude + take),
	}
}

// prelude names the keys and defines what several scripts need.
//
// record's reply is what [parse] reads: the flag that it is given, the holder's
// record, its fence, the fence before it, the milliseconds it has left, and
// then the records of the waiters that have not lapsed, the next first.
const prelude = `
local lease, counts, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local function microseconds()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

local function milliseconds()
  return math.floor(microseconds() / 1000)
end

-- live returns the record of a waiter, or nothing if it has lapsed.
local function live(id, now)
  local lapse, owner = string.match(redis.call('HGET', waiters, id) or '', '^(%d+) (.*)$')
  if lapse and tonumber(lapse) > now then
    return owner
  end
end

local function record(flag)
  local held = redis.call('HMGET', lease, 'owner', 'fence', 'previous')
  local reply = {flag, held[1] or '', held[2] or '0', held[3] or '0', redis.call('PTTL', lease)}
  local now = milliseconds()
  for _, id in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
    local owner = live(id, now)
    if owner then
      reply[#reply + 1] = owner
    end
  end
  return reply
end
`

// acquire gives the lease to the one that asks, or gives it a place in the
// queue and keeps it there. Its arguments are the owner's id and record, its
// class (0 goes first), the milliseconds that the lease and that the place last,
// the channel, and who publishes.
//
// A place is class and sequence in one score; a waiter that asks again in
// another class keeps its sequence. Lua's numbers are exact for times in
// microseconds until the year 2255.
const acquire = `
local id, owner, class, ttl, keep, channel, origin = unpack(ARGV)
local span = 1000000000000
local now = milliseconds()

for _, waiter in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
  if not live(waiter, now) then
    redis.call('ZREM', queue, waiter)
    redis.call('HDEL', waiters, waiter)
  end
end

local holder = redis.call('HGET', lease, 'id')
if holder == id then
  redis.call('HSET', lease, 'owner', owner)
  redis.call('PEXPIRE', lease, ttl)
  return record(1)
end

local place = redis.call('ZSCORE', queue, id)
local known = place and true or false
place = class * span + (known and place % span or redis.call('HINCRBY', counts, 'sequence', 1))

local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
if not holder and (not first[1] or first[1] == id or place < tonumber(first[2])) then
  local previous = tonumber(redis.call('HGET', counts, 'fence') or '0')
  local fence = string.format('%.0f', math.max(previous + 1, microseconds()))
  redis.call('HSET', counts, 'fence', fence)
  redis.call('HSET', lease, 'id', id, 'owner', owner, 'fence', fence, 'previous', string.format('%.0f', previous))
  redis.call('PEXPIRE', lease, ttl)
  redis.call('ZREM', queue, id)
  redis.call('HDEL', waiters, id)
  return record(1)
end

redis.call('ZADD', queue, string.format('%.0f', place), id)
redis.call('HSET', waiters, id, string.format('%.0f', now + keep) .. ' ' .. owner)
redis.call('PEXPIRE', queue, keep)
redis.call('PEXPIRE', waiters, keep)
if not known then
  redis.call('PUBLISH', channel, origin)
end
return record(0)
`

// withdraw takes the id, its first argument, out of the queue, and frees the
// lease if the id holds it.
const withdraw = `
local changed = redis.call('ZREM', queue, ARGV[1])
redis.call('HDEL', waiters, ARGV[1])
if redis.call('HGET', lease, 'id') == ARGV[1] then
  changed = redis.call('DEL', lease)
end
if changed == 1 then
  redis.call('PUBLISH', ARGV[2], ARGV[3])
end
return changed
`

// inspect changes nothing, so that a user who may only read may look.
const inspect = `
return record(0)
`

// renew extends the lease of the id and fence that are its first arguments and
// replaces the owner's record.
const renew = `
local held = redis.call('HMGET', lease, 'id', 'fence')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', lease, 'owner', ARGV[3])
return redis.call('PEXPIRE', lease, ARGV[4])
`

// take makes the lease of the id that is its first argument that of another id,
// with this record and for these milliseconds, or deletes it if there are none.
const take = `
if redis.call('HGET', lease, 'id') ~= ARGV[1] then
  return 0
end
if ARGV[4] == '0' then
  redis.call('DEL', lease)
else
  redis.call('HSET', lease, 'id', ARGV[2], 'owner', ARGV[3])
  redis.call('PEXPIRE', lease, ARGV[4])
end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
`

// free ends the lease of the id and fence that are its first arguments.
const free = `
local held = redis.call('HMGET', lease, 'id', 'fence')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
  return 0
end
redis.call('DEL', lease)
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1
`
