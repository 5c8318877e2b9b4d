import type { Layout } from '../layout.ts'
import { amount, bracketedShare, count, share, unsignedShare } from '../rows.ts'

/** The row TH lists the five largest holders in percent, and the share of ten in brackets. */
export const rick: Layout = {
  bot: 'rick',
  names: ['rickburpbot', 'rick'],
  signs: ['FDV', 'Hits', 'Comments', 'Fresh 1D'],
  readers: {
    mcapUsd: amount('FDV'),
    top10Pct: bracketedShare('TH'),
    topHolder1Pct: unsignedShare('TH'),
    holders: count('Total'),
    fresh1d: share('Fresh 1D'),
    fresh7d: share('Fresh 7D', '7D'),
  },
}
