/**
 * Runs simulated trades of chain B, without losses and with shares of the trades lost for good. Reads the
 * sold rows of each run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { losingForGood } from '../../support/chain-b/losing-source.ts'
import type { FactLog } from '../../support/oracle/chain-b/stories.ts'
import { factLogOf } from '../answers/check.ts'
import { liveDay, projectDay } from '../answers/day.ts'
import { type Compared, compareRows } from './compare-rows.ts'
import { lossesOf } from './oracle.ts'
import { buyersOf, readSold, type Sold } from './sold-rows.ts'

export type Proving = Readonly<{
  seed: number
  /** A whole number. */
  hours: number
  /** For each run, one trade in this number is lost. */
  oneInEach: readonly number[]
  /** The number of wallets to compare. These wallets have the most followed buys in the run without losses. */
  walletsMost: number
  print: (text: string) => void
}>

export type Proof = Readonly<{
  /** The flagged rows of the run without losses. There should be none. */
  flaggedOfWhole: readonly string[]
  rows: number
  ofShares: readonly (Compared & Readonly<{ oneIn: number; lost: number; untold: number }>)[]
}>

const fromMs = Date.UTC(2026, 8, 1)
const minuteMs = 60_000
/**
 * No trades are lost in this last part of the run, in milliseconds. So all earlier losses become known, and
 * later rows are complete.
 */
const quietMs = 75 * minuteMs
/**
 * The run ends this long after a whole hour, in milliseconds. By then the list of leaders for that hour is
 * ready, and answers about followed buys match it.
 */
const listedMs = 2 * minuteMs

type Market = Readonly<{ facts: FactLog; sold: Sold; wallets: readonly string[] }>

export async function prove({ oneInEach, print, ...world }: Proving): Promise<Proof> {
  const whole = await runMarket(world, { oneIn: null, wallets: null })
  print(`${whole.sold.rows.size} rows of the whole market`)
  const ofShares: Proof['ofShares'][number][] = []
  for (const oneIn of oneInEach) {
    const lossy = await runMarket(world, { oneIn, wallets: whole.wallets })
    const losses = lossesOf(whole.facts, lossy.facts)
    const compared = compareRows({ whole: whole.sold, lossy: lossy.sold, losses })
    ofShares.push({ ...compared, oneIn, lost: losses.count, untold: losses.untoldCount })
    print(`one trade in ${oneIn} lost: ${losses.count}, ${losses.untoldCount} of them not told`)
  }
  const flagged = [...whole.sold.rows.values()].filter(({ isFlagged }) => isFlagged)
  return { flaggedOfWhole: flagged.map(({ name }) => name), rows: whole.sold.rows.size, ofShares }
}

type World = Pick<Proving, 'seed' | 'hours' | 'walletsMost'>

/** `wallets`: the wallets to compare. Null: those with the most buys. */
type Run = Readonly<{ oneIn: number | null; wallets: readonly string[] | null }>

async function runMarket({ seed, hours, walletsMost }: World, { oneIn, wallets }: Run): Promise<Market> {
  const toMs = fromMs + hours * 60 * minuteMs + listedMs
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-losses-'))
  try {
    const day = await liveDay({
      ...{ seed, fromMs, phases: [{ toMs, rangeSec: 60, askAfterMs: 0 }] },
      edges: { factsOf: () => [], holdersOf: () => null },
      hear: (market) => losingForGood(market, { oneIn, untilMs: toMs - quietMs }),
    })
    const database = await projectDay(day, dataDir)
    const asked = wallets ?? (await buyersOf(database)).slice(0, walletsMost)
    const sold = await readSold(database, asked)
    await database.close()
    return { sold, facts: await factLogOf(day), wallets: asked }
  } finally {
    await rm(dataDir, { recursive: true })
  }
}
