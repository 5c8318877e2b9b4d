/** How far back in time `asOf` can go, for routes of several chains. */

import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { dayMs } from '../schemas/units.ts'
import type { History } from './route.ts'

/**
 * The limits for bursts of the last day. `lookBackMs` also covers the 30 days before that day, because
 * `repeatBuyers` depends on earlier bursts.
 */
export const burstsHistory: History = { windowMs: dayMs, lookBackMs: dayMs + buyerMemoryMs }

export const poolsHistory: History = { windowMs: dayMs, lookBackMs: dayMs }
