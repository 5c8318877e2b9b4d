import { expect } from 'chai'
import { pino } from 'pino'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory-log.ts'
import { createMemoryRegistry } from '../../../infra/log/schema-table.ts'
import { openChainA } from '../../../ingest/chain-a/open-chain-a.ts'
import { chainAContracts } from '../../../ingest/chain-a/presets.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../ingest/codecs.ts'
import { runIngest } from '../../../ingest/main.ts'
import type { ChainARecord, Swap } from '../../../schemas/chain-a/facts.ts'
import { chainAPartitionCount } from '../../../schemas/topics.ts'
import { chainId } from '../../support/chain-a-node/anvil.ts'
import { type ChainANode, createChainANode, walletOf } from '../../support/chain-a-node/node.ts'
import { type NodePool, noAddress, planPool, tokenPlan, weiOf } from '../../support/chain-a-node/pools.ts'
import { trade, trader } from '../../support/chain-a-node/trades.ts'
import { readRecords } from '../read-records.ts'

const startAtMs = Date.UTC(2026, 8, 1, 12)
const logger = pino({ level: 'silent' })

/** Buys of 1, 2 … mETH, so that each swap of the test is known by its amount. */
const milliEth = (amount: number): bigint => weiOf(amount / 1000)

describe('ingest of a real node', function () {
  this.timeout(60_000)
  let node: ChainANode
  let pools: readonly NodePool[]
  let atMs = startAtMs
  let log: Log
  let codecs: IngestCodecs

  before(async () => {
    node = await createChainANode({ startAtMs })
    const { contracts } = node
    const made: NodePool[] = []
    for (const [dex, quote] of [
      ['v4', noAddress],
      ['v4', contracts.weth],
      ['v3', contracts.weth],
    ] as const) {
      const { token, transaction } = tokenPlan(`${dex} ${quote}`)
      const plan = planPool(contracts, { dex, token, quote, provider: walletOf('provider'), liquidityEth: 10 })
      atMs += 1000
      await node.mine(atMs, [transaction, ...plan.transactions])
      await node.mine(atMs, trader(contracts, plan.pool, walletOf('trader')))
      made.push(plan.pool)
    }
    pools = made
  })
  after(() => node.stop())
  beforeEach(async () => {
    log = createMemoryLog({ nowMs: Date.now })
    codecs = await createIngestCodecs(createMemoryRegistry())
  })

  const buy = async (amounts: readonly number[]) => {
    atMs += 1000
    const wallet = walletOf('trader')
    const { contracts } = node
    const orders = amounts.flatMap((amount) =>
      pools.map((pool) => trade(contracts, pool, { wallet, quoteWei: milliEth(amount) })),
    )
    return await node.mine(atMs, orders)
  }

  function open() {
    const { poolManager, v3Factory, weth } = node.contracts
    const contracts = chainAContracts('local', JSON.stringify({ chainId, poolManager, v3Factory, weth }))
    return openChainA({ urls: [node.rpcUrl], contracts, lagBlocks: 2, logRangeMax: 3, logger, pollMs: 20 })
  }

  /** Runs ingest until the log is complete up to the block. */
  async function ingestUpTo(block: number): Promise<void> {
    const stop = new AbortController()
    const running = runIngest({
      ...open(),
      log,
      codecs,
      partitionCount: chainAPartitionCount,
      rulesVersion: 'test',
      nowMs: Date.now,
      logger,
      signal: stop.signal,
      onProgress: ({ toBlock }) => {
        if (toBlock >= block) stop.abort()
      },
    })
    await running
  }
  const mineLag = async () => {
    await node.mine(atMs)
    return (await node.mine(atMs)).number - 2
  }
  const records = async (): Promise<readonly ChainARecord[]> =>
    (await readRecords(log, 'chain-a-facts', codecs.facts)).flatMap(({ record }) => (record ? [record] : []))
  const swaps = async (): Promise<readonly Swap[]> =>
    (await records()).flatMap((record) => (record.type === 'Swap' ? [record.data] : []))
  const boughtIn = async (pool: NodePool) =>
    (await swaps()).filter((swap) => swap.pool === pool.id).map(({ ethWei }) => Number(ethWei / 10n ** 15n))

  it('reads pools, swaps and liquidity of both exchanges, over restarts, without gap or duplicate', async () => {
    await buy([1, 2])
    await ingestUpTo(await mineLag())
    await buy([3])
    await buy([4])
    await ingestUpTo(await mineLag())
    await buy([5])
    await ingestUpTo(await mineLag())

    for (const pool of pools) expect(await boughtIn(pool), pool.dex).to.deep.equal([1, 2, 3, 4, 5])
    const all = await records()
    const counts = (type: string) => all.filter((record) => record.type === type).length
    expect([counts('PoolCreated'), counts('PoolInitialized'), counts('LiquidityChanged')]).to.deep.equal([3, 1, 3])
    const blocks = all.flatMap((record) => (record.type === 'Tick' ? [record.data] : []))
    expect(new Set(blocks.map(({ seq }) => seq)).size * chainAPartitionCount).to.equal(blocks.length)
    expect((await swaps()).every((swap) => swap.tokenRaw > 0n && swap.blockAtMs >= startAtMs)).to.equal(true)
  })

  it('reads who sent a transaction, and nothing of one that it does not know', async () => {
    const { receipts } = await buy([6])
    const hashes = receipts.map(({ transactionHash }) => transactionHash)
    const unknown = `0x${'1'.repeat(64)}` as const
    const senders = await open().readSenders([...hashes, unknown], new AbortController().signal)
    expect([...senders]).to.deep.equal(hashes.map((hash) => [hash, walletOf('trader')]))
  })

  it('stops with a clear error when the branch below the cursor is replaced', async () => {
    await buy([7])
    await ingestUpTo(await mineLag())
    await node.rpc('anvil_reorg', [6, []])
    await mineLag()
    const failure = await ingestUpTo(Number.MAX_SAFE_INTEGER).catch((error: unknown) => error)
    expect(failure).to.include({ code: 'chain_mismatch' })
  })
})
