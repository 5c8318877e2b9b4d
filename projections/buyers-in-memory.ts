/**
 * Keeps the buyers of the bursts of the last 30 days in memory, to count the repeat buyers of a burst and the bursts of
 * a wallet without a query.
 */
import type { Database } from '../infra/clickhouse/database.ts'
import { buyerMemoryMs } from '../schemas/buyer-memory.ts'
import { dayMs, type EpochMs, hourMs } from '../schemas/units.ts'
import type { StageCut } from './cuts.ts'
import { type KeptState, keepAtCut } from './keep-at-cut.ts'
import type { KeyCondition } from './key-conditions.ts'
import { hasNewRows } from './recent-writes.ts'
import { askedMsMax, backfilledAfterMs, type CountedBurst, type WithWallets, waitMs } from './repeat-buyers.ts'
import { versionsKnownIn } from './rows-at-cut.ts'
import type { AnyVersionTable } from './table.ts'

export type OpenBurst = Readonly<{ atMs: EpochMs; knownAtMs: EpochMs; followed: string }>

type Source = Readonly<{
  database: Database
  /**
   * The table of the buyers of each burst, with a column `wallets`. It has the same natural key as the table
   * of bursts.
   */
  buyers: AnyVersionTable
  bursts: AnyVersionTable
  /** The conditions on the key that select the bursts whose buyers are looked up. */
  asked: Readonly<Record<string, KeyCondition>>
  /** SQL for the column `followed` of an `OpenBurst`. `stillFollowed` reads this column. */
  followed: string
  /** Returns the bursts for which the stage still accepts the result of the buyer lookup. */
  stillFollowed(open: readonly OpenBurst[], cut: StageCut): Promise<readonly OpenBurst[]>
}>

/**
 * A wallet and its buys. Most wallets bought only one time, and a list of one entry takes a third of the
 * memory of a set.
 */
type Wallet = { bought: Bought[] }
type Bought = Readonly<{ atMs: EpochMs; knownAtMs: EpochMs; key: string; wallets: readonly Wallet[] }>

/**
 * A list with fewer bursts is copied to add a burst, because V8 reserves memory in a list that grows. Some wallets buy in
 * thousands of bursts, and to copy a long list each time would take long.
 */
const copiedMax = 8

type Memory = {
  fromMs: EpochMs
  readonly boughtByKey: Map<string, Bought>
  readonly walletByName: Map<string, Wallet>
  readonly burstByKey: Map<string, OpenBurst>
  /** The repeat buyers of bursts that were counted since the memory last changed. The key is the list of their buyers. */
  counts: WeakMap<readonly string[], number>
}

/**
 * The time for which buyers are kept, in ms. It is longer than `buyerMemoryMs`, because bursts of the last
 * day are counted. A reorg can also set the time of the newest block back by hours.
 */
const keptMs = buyerMemoryMs + 2 * dayMs

/** The bursts in which each wallet bought, by the wallet. A burst is in the list of a wallet at most one time. */
type BurstsByWallet = ReadonlyMap<string, Readonly<{ bought: readonly Readonly<{ atMs: EpochMs }>[] }>>

/**
 * Reads the bursts at or after `fromMs`, as known at the cut. There may be earlier bursts, bursts after the newest block,
 * and wallets without a burst. `read` must not keep the bursts, because the next cut changes them.
 */
export type ReadBursts = <Result>(
  cut: StageCut,
  fromMs: EpochMs,
  read: (bursts: BurstsByWallet) => Result,
) => Promise<Result>

type BuyersInMemory = Readonly<{
  /**
   * Counts the repeat buyers of each burst, by the rule of `countRepeatBuyers`. Only data that the service knew
   * at the time of the cut is used. The result is null if the memory lacks some of this data. This happens if
   * an earlier call had a newer cut, or if a burst is too old.
   */
  countRepeats(cut: StageCut, counted: readonly WithWallets[]): Promise<readonly (number | null)[] | null>
  /** If the memory lacks the bursts, they are selected. */
  readBursts: ReadBursts
}>

export function createBuyersInMemory(source: Source): BuyersInMemory {
  const advance = async (kept: KeptState<Memory> | null, cut: StageCut): Promise<Memory> => {
    const wantedFromMs = Math.floor(cut.blockAtMs - keptMs)
    const isKept = kept !== null && kept.state.fromMs <= wantedFromMs
    const afterMs = isKept ? kept.cut.atMs : -1
    const state = isKept ? kept.state : emptyMemory(wantedFromMs)
    const span = { afterMs, toMs: cut.atMs, fromMs: state.fromMs }
    const isNew = (table: AnyVersionTable) => hasNewRows(table, afterMs, cut)
    const [buyers, bursts] = await Promise.all([
      isNew(source.buyers) ? selectBuyers(source, span) : [],
      isNew(source.bursts) ? selectBursts(source, span) : [],
    ])
    state.counts = new WeakMap()
    for (const version of buyers) putBought(state, version)
    for (const version of bursts) putBurst(state, version)
    if (wantedFromMs - state.fromMs > hourMs) forget(state, wantedFromMs)
    return state
  }
  const tables = [source.buyers, source.bursts]
  const memoryAt = keepAtCut<Memory>({ database: source.database, tables, advance })
  const countRepeats: BuyersInMemory['countRepeats'] = async (cut, counted) => {
    const memory = await memoryAt(cut)
    if (memory === null || counted.some(({ atMs }) => atMs - buyerMemoryMs < memory.fromMs)) return null
    const counts = counted.map((burst) => countIn(memory, burst))
    const open = await source.stillFollowed(openIn(memory, cut), cut)
    const isBackfilled = ({ atMs, knownAtMs }: OpenBurst) => knownAtMs > atMs + backfilledAfterMs
    return counted.map(({ atMs, buyersKnownAtMs }, index) => {
      const earlier = open.filter((burst) => burst.atMs < atMs)
      if (earlier.some(isBackfilled)) return null
      if (earlier.length > 0 && cut.atMs < buyersKnownAtMs + waitMs) return null
      return counts[index] ?? 0
    })
  }
  return {
    countRepeats,
    async readBursts(cut, fromMs, read) {
      const memory = await memoryAt(cut)
      if (memory !== null && fromMs >= memory.fromMs) return read(memory.walletByName)
      const selected = emptyMemory(fromMs)
      for (const version of await selectBuyers(source, { afterMs: -1, toMs: cut.atMs, fromMs }))
        putBought(selected, version)
      return read(selected.walletByName)
    },
  }
}

const emptyMemory = (fromMs: EpochMs): Memory => ({
  ...{ fromMs, boughtByKey: new Map(), walletByName: new Map(), burstByKey: new Map(), counts: new WeakMap() },
})

function countIn(memory: Memory, burst: WithWallets): number {
  const { counts } = memory
  const known = counts.get(burst.wallets)
  if (known !== undefined) return known
  const count = burst.wallets.filter((name) => isRepeated(memory, name, burst)).length
  counts.set(burst.wallets, count)
  return count
}

function isRepeated({ walletByName, burstByKey }: Memory, name: string, burst: CountedBurst): boolean {
  for (const { atMs, knownAtMs, key } of walletByName.get(name)?.bought ?? []) {
    if (atMs >= burst.atMs || atMs < burst.atMs - buyerMemoryMs) continue
    if (knownAtMs <= burst.buyersKnownAtMs + waitMs) return true
    // The buyers of a backfilled burst count, no matter when they became known.
    if (knownAtMs > atMs + backfilledAfterMs && (burstByKey.get(key)?.knownAtMs ?? 0) > atMs + backfilledAfterMs)
      return true
  }
  return false
}

/** Returns the bursts that have no known buyers yet, but whose buyer lookup may still return a result. */
const openIn = ({ burstByKey, boughtByKey }: Memory, cut: StageCut): readonly OpenBurst[] => {
  const open: OpenBurst[] = []
  for (const [key, burst] of burstByKey)
    if (burst.atMs >= cut.atMs - askedMsMax && burst.atMs <= cut.blockAtMs && !boughtByKey.has(key)) open.push(burst)
  return open
}

function putBought(
  { boughtByKey, walletByName }: Memory,
  { key, atMs, knownAtMs, wallets, withdrawn }: BuyersVersion,
): void {
  const former = boughtByKey.get(key)
  if (former) removeFrom(former.wallets, former)
  boughtByKey.delete(key)
  if (withdrawn === 1) return
  const found = wallets.map((name) => {
    const wallet = walletByName.get(name) ?? { bought: [] }
    walletByName.set(name, wallet)
    return wallet
  })
  const bought = { atMs: Number(atMs), knownAtMs: Number(knownAtMs), key, wallets: found }
  boughtByKey.set(key, bought)
  for (const wallet of new Set(found)) {
    if (wallet.bought.length < copiedMax) wallet.bought = [...wallet.bought, bought]
    else wallet.bought.push(bought)
  }
}

function removeFrom(wallets: readonly Wallet[], removed: Bought): void {
  for (const wallet of wallets) wallet.bought = wallet.bought.filter((bought) => bought !== removed)
}

function putBurst({ burstByKey }: Memory, { key, atMs, knownAtMs, followed, withdrawn }: BurstVersion): void {
  if (withdrawn === 1) burstByKey.delete(key)
  else burstByKey.set(key, { atMs: Number(atMs), knownAtMs: Number(knownAtMs), followed })
}

function forget(memory: Memory, fromMs: EpochMs): void {
  const { boughtByKey, walletByName, burstByKey } = memory
  for (const [key, bought] of boughtByKey) {
    if (bought.atMs >= fromMs) continue
    removeFrom(bought.wallets, bought)
    boughtByKey.delete(key)
  }
  for (const [name, { bought }] of walletByName) if (bought.length === 0) walletByName.delete(name)
  for (const [key, { atMs }] of burstByKey) if (atMs < fromMs) burstByKey.delete(key)
  memory.fromMs = fromMs
}

type Version = Readonly<{ key: string; atMs: string; knownAtMs: string; withdrawn: 0 | 1 }>
type BuyersVersion = Version & Readonly<{ wallets: readonly string[] }>
type BurstVersion = Version & Readonly<{ followed: string }>
type Span = Readonly<{ afterMs: number; toMs: number; fromMs: EpochMs }>

const columnsFor = ({ naturalKey }: AnyVersionTable) => ({
  key: `concat(${naturalKey.map((column) => `toString(${column})`).join(", ' ', ")})`,
  ...{ atMs: 'at_ms', knownAtMs: 'known_at_ms', withdrawn: 'withdrawn' },
})

const selectBuyers = ({ database, buyers }: Source, { fromMs, ...known }: Span): Promise<readonly BuyersVersion[]> =>
  database.query(
    versionsKnownIn(buyers, known, {
      conditions: { at_ms: { sql: `>= ${fromMs}` } },
      columns: { ...columnsFor(buyers), wallets: 'wallets' },
    }),
  )

const selectBursts = (
  { database, bursts, asked, followed }: Source,
  { fromMs, ...known }: Span,
): Promise<readonly BurstVersion[]> =>
  database.query(
    versionsKnownIn(bursts, known, {
      conditions: { at_ms: { sql: `>= ${fromMs}` }, ...asked },
      columns: { ...columnsFor(bursts), followed },
    }),
  )
