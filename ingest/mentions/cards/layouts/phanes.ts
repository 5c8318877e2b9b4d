import type { Layout } from '../layout.ts'
import { amount, count, countBefore, type Reader, share, unsignedShare } from '../rows.ts'

/** The number of holders stands beside the share of ten of them, in newer layouts in a row of its own. */
const holders: Reader = (rows) => count('HLD')(rows) ?? countBefore('total', 'Top 10')(rows)

export const phanes: Layout = {
  bot: 'phanes',
  names: ['phanes_bot', 'phanesbot', 'phanes'],
  signs: ['Freshies', 'Dev Sold', 'HLD', 'Top 10 Holders', 'Bundled [', 'Sniped ['],
  readers: {
    mcapUsd: amount('MC'),
    top10Pct: share('Top 10 Holders', 'Top 10'),
    topHolder1Pct: unsignedShare('TH'),
    holders,
    bundlePct: share('Bundled ['),
    sniperPct: share('Sniped ['),
  },
}
