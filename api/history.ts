/** How far back in time the routes of several chains can be asked. */

import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { dayMs } from '../schemas/units.ts'
import type { History } from './route.ts'

/** Bursts of the last day. `lookBackMs` also covers earlier bursts, because `repeatBuyers` depends on them. */
export const burstsHistory: History = { windowMs: dayMs, lookBackMs: dayMs + buyerMemoryMs }

export const poolsHistory: History = { windowMs: dayMs, lookBackMs: dayMs }
