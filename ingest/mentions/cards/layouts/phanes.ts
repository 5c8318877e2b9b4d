import type { Layout } from '../layout.ts'
import { amount, count, countBefore, countBehindBar, firstOf, share, shareBefore, unsignedShare } from '../readers.ts'

const bundleLabels = ['Bundled [', 'Bundled', 'Bundles', 'Bundle'] as const
const leftOf = (...labels: readonly string[]) => shareBefore('left', ...labels)

/**
 * The number of holders is beside the share of the top ten, in some layouts in its own row. `Freshies: 4/19` counts
 * wallets without a time, so it is not a graded value. Since autumn 2025 rows have no colons.
 */
export const phanes: Layout = {
  bot: 'phanes',
  names: ['phanes_bot', 'phanesbot', 'phanes', 'phanesgoldbot'],
  rowForm: 'colon or blanks',
  signs: ['Freshies', 'Dev Sold', 'Dev Toks', 'HLD', 'Sup', 'Top 10 Holders', 'Bundled [', 'Sniped ['],
  readers: {
    mcapUsd: amount('MC'),
    top10Pct: share('Top 10 Holders', 'Top 10'),
    topHolder1Pct: unsignedShare('TH'),
    holders: firstOf(count('HLD'), countBefore('total', 'Top 10'), countBehindBar('Top 10')),
    bundlePct: firstOf(leftOf(...bundleLabels), share('Bundled [')),
    sniperPct: firstOf(leftOf('Sniped ['), share('Sniped [')),
    devLeftPct: leftOf('Dev Sold', 'Dev'),
    fresh1d: shareBefore('1D', 'Freshies', 'Fresh'),
    fresh7d: shareBefore('7D', 'Freshies', 'Fresh'),
  },
}
