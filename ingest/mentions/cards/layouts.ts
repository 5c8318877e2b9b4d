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

/**
 * Reads the share that bundles hold now, such as 1 % in `Bundled: 45% ・ Held: 1%`. The row `Bundled` is
 * required, because the word `Held` alone has several meanings.
 */
const held: Reader = (rows) => (rows.has('Bundled') ? share('Held')(rows) : null)

/**
 * The layout of the cards of the bot Rick.
 * - The row TH lists the shares of the five largest holders in percent, and the share of the top ten in brackets.
 * - The row for bundles has had four forms. The oldest, `1 bundle, 10% with 19.5 SOL`, shows the share at
 *   launch. The reader returns this share, because bundles now hold at most as much.
 * - In the row of emoji, the value beside the ghost is not read, because its meaning is not documented.
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
 * The layout of the cards of the bot GemTools. The row `Fresh` counts new wallets but does not give their
 * maximum age. So its value is neither `fresh1d` nor `fresh7d`.
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
 * The layout of the cards of the bot Phanes.
 * - The number of holders is beside the share of the top ten holders, or in its own row.
 * - `Freshies: 4/19` counts new wallets without their maximum age, so it is neither `fresh1d` nor `fresh7d`.
 * - Since autumn 2025 the rows have no colons.
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
 * The layout of the cards of the bot Soul. The rows `Bundled`, `Sniped` and `Sold` are not read, because they
 * are about the developer alone. The row `First 20` is not read, because it contains a share on some cards
 * and a number of fresh wallets on others.
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

/**
 * Reads the number of all bundles since the launch. The number includes bundles that hold no tokens any more,
 * so it can be too high but not too low.
 */
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
