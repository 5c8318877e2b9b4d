/** How far back in time several routes of chain B can be asked. */

import { leaderRules, shadowRules } from '../../schemas/chain-b/copy-rules.ts'
import { editionAgeMsMax } from '../../schemas/hourly.ts'
import { dayMs } from '../../schemas/units.ts'
import type { History } from '../route.ts'

export const gradsHistory: History = { windowMs: 2 * dayMs, lookBackMs: 2 * dayMs }

/** The list in force may describe an hour that is hours ago, and gaps matter from the hour before the first buy on. */
export const leadersHistory: History = {
  windowMs: null,
  lookBackMs: leaderRules.windowMs + 2 * editionAgeMsMax + shadowRules.windowMs,
}
