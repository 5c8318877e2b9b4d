import type { Layout } from '../layout.ts'
import { count, countBefore, type Reader, unsignedShare } from '../readers.ts'

/** Counts all bundles ever, not only those that still hold, which is the more cautious reading. */
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
