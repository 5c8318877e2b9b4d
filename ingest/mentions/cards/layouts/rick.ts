import type { Layout } from '../layout.ts'
import {
  amount,
  bracketedShare,
  count,
  countOfBundles,
  firstOf,
  type Reader,
  share,
  shareBehindSign,
  shareOfBundles,
  unsignedShare,
} from '../readers.ts'

/** Reads `Bundled: 45% ・ Held: 1%`. The word `Held` alone may mean anything. */
const held: Reader = (rows) => (rows.has('Bundled') ? share('Held')(rows) : null)

/**
 * The row TH lists the five largest holders in percent, and the share of the top ten in brackets. The row for bundles
 * has had four layouts. The oldest, `1 bundle, 10% with 19.5 SOL`, is of the launch and never updated: bundles now hold
 * at most that, and the cautious reading assumes all of it. In the row of signs the ghost is not read, because its
 * meaning is not documented.
 */
export const rick: Layout = {
  bot: 'rick',
  names: ['rickburpbot', 'rick'],
  rowForm: 'colon',
  signs: ['FDV', 'Hits', 'Comments', 'Fresh 1D'],
  readers: {
    mcapUsd: amount('FDV'),
    top10Pct: bracketedShare('TH'),
    topHolder1Pct: unsignedShare('TH'),
    holders: count('Total'),
    bundlers: countOfBundles,
    bundlePct: firstOf(share('Bundles held'), held, shareBehindSign('📦'), shareOfBundles),
    bundlePctAtLaunch: share('Bundled'),
    sniperPct: shareBehindSign('🎯'),
    devLeftPct: shareBehindSign('(?:🧑|👨|👩)💻'),
    fresh1d: share('Fresh 1D'),
    fresh7d: share('Fresh 7D', '7D'),
  },
}
