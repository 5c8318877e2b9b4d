/** How far back routes can be asked, where several of them are alike. */

import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { dayMs } from '../schemas/units.ts'
import type { History } from './route.ts'

/** Bursts of the last day, and the earlier ones of their buyers. */
export const burstsHistory: History = { windowMs: dayMs, lookBackMs: dayMs + buyerMemoryMs }

export const poolsHistory: History = { windowMs: dayMs, lookBackMs: dayMs }
