import type { Layout } from '../layout.ts'
import { amount, count, shareAtLaunch, shareInRow, shareNow } from '../readers.ts'

/**
 * Its rows `Bundled`, `Sniped` and `Sold` concern only the developer. `First 20` is a share in one layout and a count
 * of fresh wallets in another.
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
