import type { Layout } from './layout.ts'
import {
  amount,
  bracketedShare,
  count,
  countBefore,
  countBehindBar,
  countOfBundles,
  firstOf,
  type Reader,
  share,
  shareAtLaunch,
  shareBefore,
  shareBehindSign,
  shareInRow,
  shareNow,
  shareOfBundles,
  unsignedShare,
} from './readers.ts'

/** Reads the held share in `Bundled: 45% ・ Held: 1%`. The row `Bundled` is required, because the word `Held` alone may mean anything. */
const held: Reader = (rows) => (rows.has('Bundled') ? share('Held')(rows) : null)

/**
 * The layout of Rick.
 * - The row TH lists the five largest holders in percent, and the share of the top ten in brackets.
 * - The row for bundles has had four layouts. The oldest, `1 bundle, 10% with 19.5 SOL`, shows the share at launch. Bundles now hold at
 *   most this share, so the reader cautiously takes all of it.
 * - In the row of signs, the ghost is not read, because its meaning is not documented.
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

/**
 * The layout of GemTools. The row `Fresh` does not say for how long a wallet is fresh, so its value is
 * neither `fresh1d` nor `fresh7d`.
 */
export const gemtools: Layout = {
  bot: 'gemtools',
  names: ['gemtools_bot', 'gemtoolsbot', 'gemtools'],
  rowForm: 'colon',
  signs: ['GTscore', 'Top20', 'Insiders', 'Smart Wallets', 'Previous Launches'],
  readers: {
    mcapUsd: amount('Market Cap'),
    top10Pct: share('Top10'),
    holders: count('Holders'),
    snipers: count('Snipers'),
  },
}

const bundleLabels = ['Bundled [', 'Bundled', 'Bundles', 'Bundle'] as const
const leftOf = (...labels: readonly string[]) => shareBefore('left', ...labels)

/**
 * The layout of Phanes.
 * - The number of holders is beside the share of the top ten, or in its own row in some layouts.
 * - `Freshies: 4/19` counts wallets without a time, so it is neither `fresh1d` nor `fresh7d`.
 * - Since autumn 2025 rows have no colons.
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

/**
 * The layout of Soul. The rows `Bundled`, `Sniped` and `Sold` are not read, because they are about the developer alone. `First 20` is not
 * read, because it is a share in one layout and a count of fresh wallets in another.
 */
export const soul: Layout = {
  bot: 'soul',
  names: ['soul_scanner_bot', 'soul_sniper_bot', 'soulscannerbot'],
  rowForm: 'colon',
  signs: ['Hodls', 'Bundles', 'First 20', 'Fake', 'Airdrops', 'Made'],
  readers: {
    mcapUsd: amount('MC'),
    holders: count('Hodls'),
    bundlers: count('Bundles'),
    bundlePct: shareNow('Bundles'),
    bundlePctAtLaunch: shareAtLaunch('Bundles'),
    snipers: count('Snipers'),
    sniperPct: shareNow('Snipers'),
    sniperPctAtLaunch: shareAtLaunch('Snipers'),
    devLeftPct: shareInRow('Dev'),
  },
}

/** Reads the number of all bundles since the launch. It cautiously includes bundles that hold no tokens any more. */
const bundlers: Reader = (rows) => countBefore('total', 'Total Bundles')(rows) ?? count('Total Bundles')(rows)

export const trench: Layout = {
  bot: 'trenchscanner',
  names: ['trenchscannerbot', 'trenchscanner_bot', 'trenchscanner', 'trenchybot'],
  rowForm: 'colon',
  signs: [
    'Total Bundles',
    'Total SOL Spent',
    'Current Held Percentage',
    'Current Token Held %',
    'Total Percentage Bundled',
    'Total Tokens Bundled',
    'Total Created',
  ],
  readers: {
    bundlers,
    bundlePct: unsignedShare('Current Held Percentage', 'Current Token Held %'),
    bundlePctAtLaunch: unsignedShare('Total Percentage Bundled'),
  },
}
