import type { Layout } from '../layout.ts'
import { amount, count, share } from '../readers.ts'

/** Its row `Fresh` names no time, so it is neither of the two graded values. */
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
