/** The callers of a mint of chain B, and the share of wins of their calls. */
import type { Recount } from '../recount.ts'
import type { Cut } from './facts.ts'
import { lookBackMs, type VerdictRules } from './rules.ts'

const weekMs = 7 * 24 * 3_600_000

/** `win35Of` is null without callers, or while no call is scored. */
export type Callers = Readonly<{
  isCalled(mint: string): boolean
  win35Of(mint: string, k: number): number | null
}>

type Asking = Readonly<{ cut: Cut; rules: VerdictRules }>

type Sums = { calls: number; wins: number }

/** The wins on chain B over a week. */
function winsOf({ scores }: Recount, { cut: { cutAtMs, blockAtMs }, rules }: Asking) {
  const byCaller = new Map<string, Sums>()
  const all: Sums = { calls: 0, wins: 0 }
  for (const { chain, unscored, knownAtMs, isWin35, mention } of scores) {
    const isIn = mention.postedAtMs > blockAtMs - weekMs && mention.postedAtMs <= blockAtMs
    if (chain !== 'chain-b' || unscored !== null || knownAtMs > cutAtMs || !isIn) continue
    const own = byCaller.get(nameOf(mention)) ?? { calls: 0, wins: 0 }
    const weight = mention.tokenCount > rules.manyTokens ? 1 / mention.tokenCount : 1
    for (const sums of [own, all]) add(sums, weight, isWin35 === true)
    byCaller.set(nameOf(mention), own)
  }
  return { byCaller, all }
}

const nameOf = ({ chat, poster }: Readonly<{ chat: string; poster: string }>): string => `${chat} ${poster}`

function add(sums: Sums, weight: number, isWin: boolean): void {
  sums.calls += weight
  if (isWin) sums.wins += weight
}

export function callersAt(counted: Recount, asking: Asking): Callers {
  const { cutAtMs, blockAtMs } = asking.cut
  const byMint = new Map<string, Set<string>>()
  for (const { chain, token, calledAtMs, posts } of counted.rowsAt(cutAtMs)) {
    if (chain !== 'chain-b' || calledAtMs <= blockAtMs - lookBackMs || calledAtMs > blockAtMs) continue
    byMint.set(token, new Set([...(byMint.get(token) ?? []), ...posts.map(({ mention }) => nameOf(mention))]))
  }
  const { byCaller, all } = winsOf(counted, asking)
  return {
    isCalled: (mint) => byMint.has(mint),
    win35Of(mint, k) {
      const its = [...(byMint.get(mint) ?? [])]
      if (its.length === 0 || all.calls === 0) return null
      const rates = its.map((name) => {
        const own = byCaller.get(name) ?? { calls: 0, wins: 0 }
        return (own.wins + (k * all.wins) / all.calls) / (own.calls + k)
      })
      return rates.reduce((total, rate) => total + rate, 0) / rates.length
    },
  }
}
