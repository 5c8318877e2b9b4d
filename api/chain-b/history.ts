/** How far back in time `asOf` of several routes of chain B can go. */

import { leaderRules, shadowRules } from '../../schemas/chain-b/copy-rules.ts'
import { editionAgeMsMax } from '../../schemas/hourly.ts'
import { dayMs } from '../../schemas/units.ts'
import type { History } from '../route.ts'

export const gradsHistory: History = { windowMs: 2 * dayMs, lookBackMs: 2 * dayMs }

/**
 * `lookBackMs` is longer than the window of the list. The list in force can be hours old, and gaps count from an hour before the first buy
 * of a wallet.
 */
export const leadersHistory: History = {
  windowMs: null,
  lookBackMs: leaderRules.windowMs + 2 * editionAgeMsMax + shadowRules.windowMs,
}
