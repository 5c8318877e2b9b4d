/**
 * Tests reorgs of a real chain. They replace blocks from which answers were already sold. Runs for every
 * combination of log and tables.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { RhBurst } from '../../api/chain-a/resources/burst.ts'
import { createDatabase, type Database } from '../../infra/clickhouse/database.ts'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { createChainAQueries } from '../../projections/chain-a/queries/chain-a.ts'
import { createCuts } from '../../projections/cuts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { ofTables } from '../proofs/cuts/ask.ts'
import { changeTables, poolControl } from '../proofs/cuts/controls.ts'
import { type Sold, soldAs, soldOtherwise } from '../proofs/cuts/sold.ts'
import { createTell } from '../proofs/same/now.ts'
import { createBook, type Deed, type MarketPool, play } from '../support/chain-a-node/market-book.ts'
import { type ChainANode, createChainANode, walletOf } from '../support/chain-a-node/node.ts'
import { closeAll } from '../support/close-all.ts'
import { startProgram } from '../support/programs.ts'
import { type Service, startService } from '../support/service.ts'
import { buyLive, type PaidFetch } from './buy-answers.ts'
import { chainAEnvironment } from './chain-a-environment.ts'
import { buyAll, checkAnswers, recordNode } from './check-answers.ts'
import type { Ground, OpenGround } from './grounds.ts'
import { payer } from './paying-client.ts'
import { untilKnown } from './until-known.ts'

/**
 * buys  1 … 6 │ 7 … 14   rule `main` fires at buy 12, and the answer with this burst is bought
 *             └ from here on a new branch replaces eight or more blocks; ingest lags only three blocks
 */
const buysBefore = 6
const buysInAll = 14

type Variant = 'again' | 'dropped' | 'moved'

const second = 1000
const nextSecond = () => Math.ceil(Date.now() / second) * second

export function describeReorgs(where: string, openGround: OpenGround): void {
  describe(`a chain with reorgs below what was answered, ${where}`, () => reorgs(openGround))
}

function reorgs(openGround: OpenGround): void {
  let ground: Ground
  let node: ChainANode
  let payments: LocalPayments
  let service: Service
  let dataDir: string
  let fetchPaid: PaidFetch
  /** The time up to which the service knows the last branch. */
  let knownAtMs = 0
  const pools = new Map<Variant, MarketPool>()
  /** For each reorg, the burst that was sold before the reorg, and the data time (cut) of that answer. */
  const sold = new Map<Variant, Readonly<{ burst: RhBurst; generatedAt: number }>>()
  const everySold: Sold[] = []

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-reorgs-'))
    ground = await openGround(dataDir)
    payments = await startLocalPayments({ isEvmAlone: true })
    fetchPaid = noting(payer(payments))
    const openedAtMs = nextSecond() - 20 * 60 * second
    node = await createChainANode({ startAtMs: openedAtMs - 60 * second })
    const book = createBook(node.contracts)
    for (const variant of ['again', 'dropped', 'moved'] as const)
      pools.set(variant, book.open({ name: variant, atMs: openedAtMs, liquidityEth: 20 }))
    await play(node, book.deeds)
    await node.mine(nextSecond() - second)
    service = await start()
  })

  after(async () => {
    const removeData = () => rm(dataDir, { recursive: true, force: true })
    await closeAll(service?.stop, node?.stop, payments?.stop, ground?.close, removeData)
  })

  const start = () =>
    startService({ ...chainAEnvironment(node, payments, dataDir), ...ground.environment }, ground.programs)

  /** Stores every sold answer. */
  const noting =
    (buy: PaidFetch): PaidFetch =>
    async (url) => {
      const response = await buy(url)
      if (response.status !== 200) return response
      const body = await response.text()
      everySold.push(soldAs(url.slice(service.baseUrl.length), body))
      return new Response(body, response)
    }

  const shop = () => ({ baseUrl: service.baseUrl, fetch: fetchPaid })

  const poolOf = (variant: Variant): MarketPool => {
    const pool = pools.get(variant)
    if (pool === undefined) throw new TypeError(`no pool for ${variant}`)
    return pool
  }

  const buyDeeds = (
    variant: Variant,
    atMsOf: (index: number) => number,
    indexes: readonly number[],
  ): readonly Deed[] => {
    const book = createBook(node.contracts)
    for (const index of indexes)
      book.swap(poolOf(variant), { atMs: atMsOf(index), eth: 0.1 + index / 1000, wallet: `${variant} ${index}` })
    return book.deeds
  }

  const untilSold = async (limitMs: number, isThere: (bursts: readonly RhBurst[]) => boolean) => {
    const endAtMs = Date.now() + limitMs
    for (;;) {
      const answer = await buyLive(shop()).catch(() => null)
      if (answer && isThere(answer.bursts)) return answer
      if (Date.now() > endAtMs) expect.fail(`not sold in ${limitMs} ms: ${service.errorOutput()}`)
      await sleep(300)
    }
  }

  const mainOf = (variant: Variant, bursts: readonly RhBurst[]) =>
    bursts.find(({ pool, tier }) => pool === poolOf(variant).id && tier === 'main')

  /**
   * Trades, buys the answer with the burst, replaces the branch, and waits until the service knows the newest
   * block of the new branch.
   */
  const reorg = async (variant: Variant): Promise<readonly RhBurst[]> => {
    const firstAtMs = nextSecond() + second
    const plain = (index: number) => firstAtMs + index * second
    const later = Array.from({ length: buysInAll - buysBefore }, (_, index) => buysBefore + index)
    await play(node, buyDeeds(variant, plain, [...Array(buysBefore).keys()]), 'wall')
    const backToHere = await node.checkpoint()
    await play(node, buyDeeds(variant, plain, later), 'wall')
    const stopFirstBranch = node.heartbeat(second)
    const before = await untilSold(30_000, (bursts) => mainOf(variant, bursts) !== undefined)
    sold.set(variant, { burst: mainOf(variant, before.bursts) as RhBurst, generatedAt: before.generatedAt })
    // Waits for a block after the last buy. The new branch then arrives in one append up to this block. On
    // the new branch the last buy is one block later, but the append still includes it.
    await untilKnown(service, plain(buysInAll - 1) + 3 * second)
    await stopFirstBranch()
    const oldHead = Number(await node.rpc('eth_blockNumber'))

    await backToHere()
    // The branches differ from this block on, even if they have the same swaps.
    await node.mine(plain(buysBefore) - second, [
      { from: walletOf('passer-by'), to: walletOf('passer-by'), data: '0x', valueWei: 1n },
    ])
    const moved = (index: number) => plain(index) + 3 * second
    if (variant !== 'dropped') await play(node, buyDeeds(variant, variant === 'again' ? plain : moved, later))
    while (Number(await node.rpc('eth_blockNumber')) <= oldHead) await node.mine(nextSecond(), [], { orLater: true })
    const stopSecondBranch = node.heartbeat(second)
    // Only the new branch has a block at this time or later.
    knownAtMs = Date.now() + 8 * second
    await untilKnown(service, knownAtMs)
    await untilSold(60_000, (bursts) => bursts.every(({ tier, buyers }) => tier !== 'main' || buyers !== null))
    const answers = await buyAll(shop())
    await stopSecondBranch()
    checkAnswers(answers, await recordNode(node))
    return answers.live.bursts
  }

  it('with the same swaps mined again: the row stays', async () => {
    const bursts = await reorg('again')
    const before = sold.get('again')?.burst
    expect(mainOf('again', bursts)).to.include({ id: before?.id, at: before?.at, inflowEth: before?.inflowEth })
  })

  it('with the swaps dropped: the row is withdrawn', async () => {
    expect(mainOf('dropped', await reorg('dropped'))).to.equal(undefined)
  })

  it('with the swaps in later blocks: the row is withdrawn and the new one supersedes it', async () => {
    const burst = mainOf('moved', await reorg('moved'))
    expect(burst?.at).to.equal((sold.get('moved')?.burst.at ?? 0) + 3 * second)
    expect(burst?.supersedes).to.equal(sold.get('moved')?.burst.id)
  })

  it('answers all that was sold with the same bytes, killed and begun again, and from tables made anew', async () => {
    expect(everySold.length, 'sold').to.be.greaterThan(25)
    await service.kill()
    service = await start()
    await untilKnown(service, knownAtMs)
    await service.stop()
    const settings = { url: ground.environment.CLICKHOUSE_URL, dataDir }
    const onTables = async <Result>(act: (tables: Database) => Promise<Result>) => {
      const tables = await createDatabase({ ...settings, role: 'writer' })
      return act(tables).finally(tables.close)
    }
    const otherwise = () => onTables(async (tables) => soldOtherwise(await createTell(tables, dataDir), everySold))
    expect(await otherwise(), 'after a kill').to.deep.equal([])
    const rebuilding = startProgram('project --rebuild', {
      ...chainAEnvironment(node, payments, dataDir),
      ...ground.environment,
    })
    expect(await rebuilding.done).to.include({ code: 0 })
    expect(await otherwise(), 'from tables made anew').to.deep.equal([])
    const faults = await onTables(async (writer) =>
      changeTables({ writer, ways: { 'of the tables': ofTables(writer, dataDir) }, control: poolControl }, everySold),
    )
    expect(faults).to.deep.equal([])
  })

  it('keeps what was sold under its old cut', async () => {
    const database = await createDatabase({ url: ground.environment.CLICKHOUSE_URL, dataDir, role: 'reader' })
    try {
      const queries = createChainAQueries({ database })
      const cuts = createCuts({ database })
      for (const { burst, generatedAt } of sold.values()) {
        const cut = (await cuts.at(generatedAt, [chainAStage]))?.stages[chainAStage.name]
        if (cut === undefined) return expect.fail('the cut is gone')
        const rows = await queries.burstsLive(cut, { minutes: 240, tier: 'main', lp: 'all' })
        const row = rows.find(({ pool, atMs }) => pool === burst.pool && atMs === burst.at)
        expect(row).to.include({ inflowEth: burst.inflowEth, buys: burst.buys, knownAtMs: burst.knownAt })
      }
      expect(sold.size).to.equal(3)
    } finally {
      await database.close()
    }
  })
}
