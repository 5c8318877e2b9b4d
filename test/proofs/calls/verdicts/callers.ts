/** Who called a mint of chain B, and how often the calls of each won, in SQL. */
import type { Database } from '../../../../infra/clickhouse/database.ts'
import type { Cut } from './facts.ts'
import { lookBackMs, type VerdictRules } from './rules.ts'

const weekMs = 7 * 24 * 3_600_000

type Caller = Readonly<{ chat: string; poster: string }>
type Wins = Readonly<{ calls: number; wins: number }>

/** `win35Of`: null of no callers, or while nothing is scored. */
export type Callers = Readonly<{
  isCalled(mint: string): boolean
  win35Of(mint: string, k: number): number | null
}>

export async function callersAt(
  database: Database,
  { cut: { cutAtMs, blockAtMs }, rules }: Readonly<{ cut: Cut; rules: VerdictRules }>,
): Promise<Callers> {
  const named = await database.query<Caller & Readonly<{ token: string }>>(
    `SELECT DISTINCT token, chat, poster FROM proof_posts
     WHERE chain = 'chain-b' AND next <= ${cutAtMs} AND called > ${blockAtMs - lookBackMs} AND called <= ${blockAtMs}`,
  )
  const rows = await database.query<Caller & Wins>(
    `SELECT chat, poster, sum(weight) AS calls, sum(weight * won) AS wins FROM (
       SELECT chat, poster, if(tokens > ${rules.manyTokens}, 1 / tokens, 1) AS weight, win > 0 AS won
       FROM proof_scores WHERE chain = 'chain-b' AND unscored = '' AND known <= ${cutAtMs}
         AND posted > ${blockAtMs - weekMs} AND posted <= ${blockAtMs})
     GROUP BY chat, poster`,
  )
  const nameOf = ({ chat, poster }: Caller) => `${chat} ${poster}`
  const byCaller = new Map(rows.map((row) => [nameOf(row), row]))
  const byMint = new Map<string, Caller[]>()
  for (const { token, ...caller } of named) byMint.set(token, [...(byMint.get(token) ?? []), caller])
  const sum = (of: keyof Wins) => rows.reduce((total, row) => total + Number(row[of]), 0)
  const [calls, wins] = [sum('calls'), sum('wins')]
  return {
    isCalled: (mint) => byMint.has(mint),
    win35Of(mint, k) {
      const its = byMint.get(mint) ?? []
      if (its.length === 0 || calls === 0) return null
      const rates = its.map((caller) => {
        const own = byCaller.get(nameOf(caller)) ?? { calls: 0, wins: 0 }
        return (Number(own.wins) + (k * wins) / calls) / (Number(own.calls) + k)
      })
      return rates.reduce((total, rate) => total + rate, 0) / rates.length
    },
  }
}
