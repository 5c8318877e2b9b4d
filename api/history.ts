/**
 * The limits of `asOf` for routes of several chains. With the parameter `asOf`, a route answers for an
 * earlier time.
 */

import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { dayMs } from '../schemas/units.ts'
import type { History } from './route.ts'

/**
 * The limits of the routes that list the bursts of the last day. `lookBackMs` also covers the 30 days before
 * that day, because `repeatBuyers` depends on earlier bursts.
 */
export const burstsHistory: History = { windowMs: dayMs, lookBackMs: dayMs + buyerMemoryMs }

export const poolsHistory: History = { windowMs: dayMs, lookBackMs: dayMs }
