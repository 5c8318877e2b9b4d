/**
 * Runs the chain A queries of the API during a soak test, for the newest cut and again for an older cut. A
 * cut is a time, together with what the service knew at that time.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createChainAQueries } from '../../../projections/chain-a/queries/chain-a.ts'
import type { ChainAQueries, RugCheckRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { createCuts, type StageCut } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'

export type Asker = Readonly<{
  /** Fails if there is no answer, or if the answer at an older cut has changed. */
  ask(curveTokens: readonly string[]): Promise<void>
  printSummary(): void
}>

/**
 * The number of past hours that the queries cover. The tables keep more hours, so the deletion of old rows
 * changes no answer.
 */
const hours = 6
/** An older cut is queried again after this many newer cuts. */
const askedAgainAfter = 4

export function createAsker(database: Database): Asker {
  const queries = createChainAQueries({ database })
  const cuts = createCuts({ database })
  const asked: { cut: StageCut; curveTokens: readonly string[]; digest: string }[] = []
  const durationsMs: number[] = []
  let bursts = 0
  let again = 0
  let curves = 0

  const askAt = async (cut: StageCut, curveTokens: readonly string[]): Promise<string> => {
    const startedAtMs = performance.now()
    const checks = await rugChecksAt(queries, cut, curveTokens)
    const answers = [...checks, ...(await answersAt(queries, cut))]
    curves += checks.filter((check) => check?.curve).length
    durationsMs.push((performance.now() - startedAtMs) / answers.length)
    return createHash('sha256').update(JSON.stringify(answers)).digest('hex')
  }

  return {
    async ask(curveTokens) {
      const cut = (await cuts.newest([chainAStage]))?.stages[chainAStage.name]
      assert(cut, 'there is a cut once every partition is projected')
      asked.push({ cut, curveTokens, digest: await askAt(cut, curveTokens) })
      bursts = (await queries.counts(cut)).bursts24h
      const older = asked.length > askedAgainAfter ? asked.shift() : undefined
      if (!older) return
      const same = (await cuts.at(older.cut.atMs, [chainAStage]))?.stages[chainAStage.name]
      assert(same, 'a cut that was answered once can be asked again')
      assert.equal(await askAt(same, older.curveTokens), older.digest, `the answers at ${older.cut.atMs} have changed`)
      again += 1
    },
    printSummary() {
      durationsMs.sort((a, b) => a - b)
      const at = (share: number) => Math.round(durationsMs[Math.floor(durationsMs.length * share)] ?? 0)
      console.log(
        `answers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms each; ${bursts} bursts in the last 24 h; ${curves} curves in rug checks; ${again} older cuts asked again, all the same`,
      )
    },
  }
}

/** Asks the questions one after the other, like one buyer. */
async function answersAt(queries: ChainAQueries, cut: StageCut): Promise<readonly unknown[]> {
  const filter = { tier: 'all', lp: 'all' } as const
  const pools = await queries.poolsNew(cut, { hours, limit: 500 })
  const youngest = pools[0]
  return [
    pools,
    await queries.burstsLive(cut, { ...filter, minutes: 60 }),
    await queries.burstsHistory(cut, { ...filter, hours }),
    youngest && (await queries.poolFlow(cut, youngest.pool)),
  ]
}

/** The rug checks of tokens in the newest pools and on curves. */
async function rugChecksAt(queries: ChainAQueries, cut: StageCut, curveTokens: readonly string[]) {
  const pools = await queries.poolsNew(cut, { hours, limit: 3 })
  const checks: (RugCheckRow | null)[] = []
  for (const token of [...pools.map((pool) => pool.token), ...curveTokens])
    checks.push(await queries.rugCheck(cut, token))
  return checks
}
