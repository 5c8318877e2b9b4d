/**
 * The limits of `asOf` for several routes of chain B. With the parameter `asOf`, a route answers for an
 * earlier time.
 */

import { leaderRules, shadowRules } from '../../schemas/chain-b/copy-rules.ts'
import { editionAgeMsMax } from '../../schemas/hourly.ts'
import { dayMs } from '../../schemas/units.ts'
import type { History } from '../route.ts'

export const gradsHistory: History = { windowMs: 2 * dayMs, lookBackMs: 2 * dayMs }

/**
 * `lookBackMs` is longer than the time over which the leaders (wallets that are worth copying) are selected.
 * The newest list of leaders can be hours old. Missing trades also count in the hour before a wallet's first
 * buy.
 */
export const leadersHistory: History = {
  windowMs: null,
  lookBackMs: leaderRules.windowMs + 2 * editionAgeMsMax + shadowRules.windowMs,
}
