/**
 * Records what a commit publishes, projects and sells. It uses the commit only over its command line and HTTP
 * API.
 */
import { appendFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { copyCheckout, type Reorgs } from './checkout.ts'
import { openTables } from './now.ts'
import { environment, placesIn, type RecordedAnswer } from './recording.ts'
import { startService } from './running-service.ts'
import { buyAnswers } from './shop.ts'
import type { Print } from './verdict.ts'

/**
 * The reorgs in the past day that the first run reads. At each reorg, the stage processes all facts after the
 * reorg before it again.
 */
const pastReorgs: Reorgs = { seed: 1, everySec: 600, depthMax: 90 }
/** The reorgs while answers are bought. */
const liveReorgs: Reorgs = { seed: 2, everySec: 60, depthMax: 45 }
/**
 * The wait at the end of a run for lookups of senders and owners, which are slower than the blocks. In
 * milliseconds.
 */
const settleMs = 20_000

type Options = Readonly<{ checkout: string; folder: string; answerCount: number; liveMs: number; print: Print }>

/**
 * Runs the service twice on one data directory. The first run reads the past day. The second run has live
 * simulated data and purchases. Fails if the folder exists.
 */
export async function record({ checkout, folder, answerCount, liveMs, print }: Options): Promise<void> {
  const { dataDir } = placesIn(folder)
  await mkdir(folder)
  const copy = join(folder, 'checkout')
  await copyCheckout(checkout, copy)
  const run = (name: string, reorgs: Reorgs) =>
    startService({
      checkout: copy,
      environment: { ...environment, DATA_DIR: dataDir, SIMULATED_REORGS: JSON.stringify(reorgs) },
      logFile: join(folder, `${name}.log`),
    })

  const past = await run('past', pastReorgs)
  await past.untilLive()
  await sleep(settleMs)
  await past.stop()
  print('the day before is recorded')
  const curveTokens = await curveTokensIn(dataDir)
  print(`${curveTokens.length} tokens on curves`)
  const live = await run('live', liveReorgs)
  await live.untilLive()
  let count = 0
  const onAnswer = async (answer: RecordedAnswer) => {
    await appendFile(placesIn(folder).answersFile, `${JSON.stringify(answer)}\n`)
    if (++count % 50 === 0) print(`${count} answers`)
  }
  await buyAnswers(live.baseUrl, { answerCount, liveMs, curveTokens, onAnswer })
  await live.stop()
  await rm(copy, { recursive: true })
}

/** No route lists tokens that have a curve but no pool, so they are read from the tables. */
async function curveTokensIn(dataDir: string): Promise<readonly string[]> {
  const copy = await mkdtemp(join(tmpdir(), 'launch-data-same-'))
  try {
    await cp(join(dataDir, 'clickhouse'), join(copy, 'clickhouse'), { recursive: true, verbatimSymlinks: true })
    const tables = await openTables(copy)
    try {
      const rows = await tables.query<Readonly<{ token: string }>>(
        'SELECT token FROM launch_curves GROUP BY token ORDER BY max(known_at_ms) DESC, token LIMIT 200',
      )
      return rows.map(({ token }) => token)
    } finally {
      await tables.close()
    }
  } finally {
    await rm(copy, { recursive: true })
  }
}
