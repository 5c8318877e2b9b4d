/** How far back in time `asOf` of several routes of chain B can go. */

import { leaderRules, shadowRules } from '../../schemas/chain-b/copy-rules.ts'
import { editionAgeMsMax } from '../../schemas/hourly.ts'
import { dayMs } from '../../schemas/units.ts'
import type { History } from '../route.ts'

export const gradsHistory: History = { windowMs: 2 * dayMs, lookBackMs: 2 * dayMs }

/**
 * `lookBackMs` is longer than the window of the list, for two reasons. The newest list can be hours old. Gaps
 * in the trades also count in the hour before a wallet's first buy.
 */
export const leadersHistory: History = {
  windowMs: null,
  lookBackMs: leaderRules.windowMs + 2 * editionAgeMsMax + shadowRules.windowMs,
}
