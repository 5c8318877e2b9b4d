/** Who called a mint of chain B, and how often the calls of each won. */
import type { Recount } from '../recount.ts'
import type { Cut } from './facts.ts'
import { lookBackMs, type VerdictRules } from './rules.ts'

const weekMs = 7 * 24 * 3_600_000

/** `win35Of`: null of no callers, or while nothing is scored. */
export type Callers = Readonly<{
  isCalled(mint: string): boolean
  win35Of(mint: string, k: number): number | null
}>

type Asking = Readonly<{ cut: Cut; rules: VerdictRules }>

export function callersAt(counted: Recount, { cut: { cutAtMs, blockAtMs }, rules }: Asking): Callers {
  const isIn = (atMs: number, lengthMs: number) => atMs > blockAtMs - lengthMs && atMs <= blockAtMs
  const byMint = new Map<string, Set<string>>()
  for (const { chain, token, calledAtMs, posts } of counted.rowsAt(cutAtMs)) {
    if (chain !== 'chain-b' || !isIn(calledAtMs, lookBackMs)) continue
    const names = byMint.get(token) ?? new Set()
    for (const { mention } of posts) names.add(`${mention.chat} ${mention.poster}`)
    byMint.set(token, names)
  }
  const byCaller = new Map<string, { calls: number; wins: number }>()
  const all = { calls: 0, wins: 0 }
  for (const { chain, unscored, knownAtMs, isWin35, mention } of counted.scores) {
    if (chain !== 'chain-b' || unscored !== null || knownAtMs > cutAtMs || !isIn(mention.postedAtMs, weekMs)) continue
    const name = `${mention.chat} ${mention.poster}`
    const own = byCaller.get(name) ?? { calls: 0, wins: 0 }
    const weight = mention.tokenCount > rules.manyTokens ? 1 / mention.tokenCount : 1
    for (const sums of [own, all]) {
      sums.calls += weight
      if (isWin35) sums.wins += weight
    }
    byCaller.set(name, own)
  }
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
