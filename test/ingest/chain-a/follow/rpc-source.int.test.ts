import { expect } from 'chai'
import { pino } from 'pino'
import { createMemoryRegistry } from '../../../../infra/codec/registry/schema-table.ts'
import type { Log } from '../../../../infra/log/log.ts'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import { decodeLogs } from '../../../../ingest/chain-a/decode/decode-logs.ts'
import { logTopics } from '../../../../ingest/chain-a/decode/log-topics.ts'
import type { RawLog } from '../../../../ingest/chain-a/decode/log-words.ts'
import { createNode } from '../../../../ingest/chain-a/node/node.ts'
import { createRpcOwnerReader, createRpcSenderReader } from '../../../../ingest/chain-a/node/read-senders.ts'
import { openChainA } from '../../../../ingest/chain-a/open-chain-a.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { createIngestCodecs, type IngestCodecs } from '../../../../ingest/codecs.ts'
import { delay } from '../../../../ingest/delay.ts'
import { runIngest } from '../../../../ingest/run-ingest.ts'
import type { ChainARecord, Swap } from '../../../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { topics } from '../../../../schemas/topics.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { chainId } from '../../../support/chain-a-node/anvil.ts'
import {
  type ChainANode,
  createChainANode,
  type NodeTransaction,
  walletOf,
} from '../../../support/chain-a-node/node.ts'
import {
  type NodePool,
  noAddress,
  planPool,
  tokenPlan,
  v4Liquidity,
  weiOf,
} from '../../../support/chain-a-node/pools.ts'
import {
  directAdd,
  liquidityRouterCreation,
  positionBurn,
  positionTransfer,
} from '../../../support/chain-a-node/positions.ts'
import { trade, trader } from '../../../support/chain-a-node/trades.ts'
import { type CanonicalFacts, idOfFact, readCanonicalFacts } from '../../canonical-facts.ts'
import { bookWith, noCurves } from '../../known-of.ts'
import { readRecords } from '../../read-records.ts'
import { type BranchVariant, branchVariants } from '../branching-chain.ts'

const startAtMs = Date.UTC(2026, 8, 1, 12)
const logger = pino({ level: 'silent' })
const logRangeMax = 3

/**
 * Converts thousandths of an ETH to wei. Each buy has another amount, 1, 2 … mETH, which identifies the buy.
 */
const milliEth = (amount: number): bigint => weiOf(amount / 1000)

function contractsOf({ contracts: { poolManager, positionManager, v3Factory, weth } }: ChainANode) {
  return chainAContracts('local', JSON.stringify({ chainId, poolManager, positionManager, v3Factory, weth }))
}

const idOf = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`

describe('ingest of a real node', () => {
  let node: ChainANode
  let pools: readonly NodePool[]
  let atMs = startAtMs
  let log: Log
  let codecs: IngestCodecs<ChainATypes>

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
  after(() => node?.stop())
  beforeEach(async () => {
    log = createMemoryLog({ nowMs: Date.now })
    codecs = await createIngestCodecs(chainAStage, createMemoryRegistry())
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

  const mined = async (transactions: readonly NodeTransaction[]) => {
    atMs += 1000
    return await node.mine(atMs, transactions)
  }

  const polled = () => ({ urls: [node.rpcUrl], pollMs: 20 })

  function open(followed: Readonly<{ urls: readonly string[]; pollMs: number }>) {
    return openChainA({ ...followed, contracts: contractsOf(node), lagBlocks: 2, logRangeMax, logger })
  }

  const rpc = () => createNode({ urls: [node.rpcUrl] })

  function startIngest(followed = polled()) {
    const stop = new AbortController()
    let toBlock = 0
    const running = runIngest({
      chain: open(followed),
      log,
      codecs,
      nowMs: Date.now,
      logger,
      signal: stop.signal,
      onProgress: (progress) => {
        toBlock = progress.toBlock
      },
    })
    return {
      /** Waits until the log is complete up to the block. */
      reaches: async (block: number) => {
        while (toBlock < block) await Promise.race([running, delay(5, stop.signal)])
      },
      stop: async () => {
        stop.abort()
        await running
      },
    }
  }
  async function ingestUpTo(block: number): Promise<void> {
    const running = startIngest()
    await running.reaches(block)
    await running.stop()
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

  type Mined = Readonly<{ fromBlock: number; hashes: readonly string[] }>
  const isOf = ({ hashes }: Mined, txHash: string) => hashes.includes(txHash)

  /** Makes one buy in each of three blocks, after a whole range of empty blocks. */
  async function buyThrice(wallet: Hex): Promise<Mined> {
    for (let left = logRangeMax; left > 0; left--) await node.mine(atMs)
    const blocks = []
    for (const quoteWei of [1, 2, 3].map(milliEth)) {
      atMs += 1000
      blocks.push(await node.mine(atMs, [trade(node.contracts, pools[0] as NodePool, { wallet, quoteWei })]))
    }
    const hashes = blocks.flatMap(({ receipts }) => receipts.map(({ transactionHash }) => transactionHash))
    return { fromBlock: (blocks[0] as { number: number }).number, hashes }
  }

  /**
   * Replaces the three blocks and the two blocks after them. The last two blocks are so new that ingest has
   * not read them.
   */
  async function replaceBranch({ hashes }: Mined, variant: BranchVariant): Promise<void> {
    const depth = 5
    const requests: unknown[] = []
    for (const [index, hash] of hashes.entries()) {
      const found = (await node.rpc('eth_getTransactionByHash', [hash])) as Record<string, string>
      const { from, to, input, value, gas, gasPrice, nonce } = found
      requests.push([{ from, to, data: input, value, gas, gasPrice, nonce }, variant === 'same' ? index : depth - 1])
    }
    await node.rpc('anvil_reorg', [depth, variant === 'dropped' ? [] : requests])
  }

  async function lastTransfer(number: number): Promise<unknown> {
    const block = `0x${number.toString(16)}`
    const address = node.contracts.positionManager
    const logs = await node.rpc('eth_getLogs', [
      { fromBlock: block, toBlock: block, address, topics: [logTopics.positionTransfer] },
    ])
    return (logs as unknown[]).at(-1)
  }

  async function factIdsOfNode(toBlock: number): Promise<readonly string[]> {
    const logs = await node.rpc('eth_getLogs', [{ fromBlock: '0x0', toBlock: `0x${toBlock.toString(16)}` }])
    const blockAtMsOf = (raw: RawLog) => Number(raw.blockTimestamp) * 1000
    const known = { contracts: contractsOf(node), book: bookWith(), curves: noCurves, blockAtMsOf }
    return decodeLogs(logs as RawLog[], known)
      .facts.map(({ fact }) => idOfFact(fact))
      .sort()
  }
  const deadSwaps = async ({ facts }: CanonicalFacts) =>
    (await swaps()).length - facts.filter(({ type }) => type === 'Swap').length

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
    expect(new Set(blocks.map(({ seq }) => seq)).size * topics['chain-a-facts'].partitionCount).to.equal(blocks.length)
    expect((await swaps()).every((swap) => swap.tokenRaw > 0n && swap.blockAtMs >= startAtMs)).to.equal(true)
  })

  it('reads who opened a pool and added to it, and whose the positions are', async () => {
    const [pool] = pools as [NodePool]
    const { contracts } = node
    const [friend, adder, contractUser] = [walletOf('friend'), walletOf('adder'), walletOf('contract user')]
    const first = { owner: walletOf('provider'), tokenId: 1n }
    await mined([positionTransfer(contracts, first, friend)])
    const minting = { dex: 'v4', token: pool.token, quote: noAddress, provider: adder, liquidityEth: 1 } as const
    await mined(v4Liquidity(contracts, pool, minting))
    await mined([positionBurn(contracts, pool, { owner: adder, tokenId: 3n })])
    const { receipts } = await mined([liquidityRouterCreation(contractUser, contracts)])
    const router = receipts[0]?.contractAddress?.toLowerCase() as Hex
    await mined(directAdd(pool, { from: contractUser, router, liquidity: 10n ** 18n, salt: idOf(1n) }))
    await ingestUpTo(await mineLag())

    const { facts } = await readCanonicalFacts(log, codecs)
    const created = facts.flatMap(({ type, data }) => (type === 'PoolCreated' ? [data.txSender] : []))
    expect(created, 'on both exchanges').to.deep.equal(pools.map(() => first.owner))
    const told = facts.flatMap((fact) => {
      if (!('pool' in fact.data) || fact.data.pool !== pool.id) return []
      if (fact.type === 'PositionTransferred') return [[fact.data.positionId, fact.data.from, fact.data.to]]
      if (fact.type !== 'LiquidityChanged') return []
      const { positionId, liquidityDelta, txSender, owner } = fact.data
      return [[positionId, owner, Math.sign(Number(liquidityDelta)), txSender]]
    })
    const manager = contracts.positionManager.toLowerCase()
    expect(told).to.deep.equal([
      [idOf(1n), noAddress, first.owner],
      [idOf(1n), manager, 1, first.owner],
      [idOf(1n), first.owner, friend],
      [idOf(3n), noAddress, adder],
      [idOf(3n), manager, 1, adder],
      [idOf(3n), adder, noAddress],
      [idOf(3n), manager, -1, null],
      [null, router, 1, contractUser],
    ])
  })

  it('reads who owned a position at the end of a block, and nobody where there was none', async () => {
    const [pool] = pools as [NodePool]
    const { contracts } = node
    const owner = walletOf('owner')
    const { signal } = new AbortController()
    const readOwners = createRpcOwnerReader({ node: rpc(), ...contractsOf(node) })
    const minting = { dex: 'v4', token: pool.token, quote: noAddress, provider: owner, liquidityEth: 1 } as const
    const minted = await mined(v4Liquidity(contracts, pool, minting))
    const { topics } = (await lastTransfer(minted.number)) as { topics: Hex[] }
    const tokenId = BigInt(topics[3] as Hex)
    const given = await mined([positionTransfer(contracts, { owner, tokenId }, walletOf('heir'))])
    const burned = await mined([positionBurn(contracts, pool, { owner: walletOf('heir'), tokenId })])
    const found = []
    for (const { number } of [minted, given, burned]) {
      const { hash } = (await node.rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as { hash: Hex }
      const positionIds = [idOf(tokenId), idOf(10n ** 9n)]
      const owners = await readOwners({ blockNumber: number, blockHash: hash, positionIds }, signal)
      found.push(positionIds.map((id) => owners.get(id)))
    }
    expect(found).to.deep.equal([
      [owner, null],
      [walletOf('heir'), null],
      [null, null],
    ])
    const unknown = { blockNumber: 1, blockHash: idOf(1n), positionIds: [idOf(1n)] }
    expect(await readOwners(unknown, signal).catch((error: unknown) => error)).to.include({ code: 'node_refused' })
  })

  it('reads who sent a transaction, and nothing of one that it does not know', async () => {
    const { receipts } = await buy([6])
    const hashes = receipts.map(({ transactionHash }) => transactionHash)
    const unknown = `0x${'1'.repeat(64)}` as const
    const senders = await createRpcSenderReader({ node: rpc() })([...hashes, unknown], new AbortController().signal)
    expect([...senders]).to.deep.equal(hashes.map((hash) => [hash, walletOf('trader')]))
  })

  for (const [name, urlsOf] of [
    ['asked over HTTP', () => [node.rpcUrl, node.rpcUrl.replace('http:', 'ws:')]],
    ['asked over the socket as well', () => [node.rpcUrl.replace('http:', 'ws:')]],
  ] as const)
    it(`reads blocks when the node announces them, ${name}, and does not wait for the next poll`, async () => {
      // The poll interval is longer than the test.
      const running = startIngest({ urls: urlsOf(), pollMs: 600_000 })
      await running.reaches(await mineLag())
      for (const amount of [31, 32]) {
        await buy([amount])
        await running.reaches(await mineLag())
        for (const pool of pools) expect((await boughtIn(pool)).at(-1), pool.dex).to.equal(amount)
      }
      await running.stop()
    })

  for (const variant of branchVariants)
    for (const moment of ['while it runs', 'while it is stopped'] as const)
      it(`tells the new branch when blocks deeper than the lag are replaced ${moment}: trades ${variant}`, async () => {
        const wallet = walletOf(`${variant} ${moment}`)
        const mined = await buyThrice(wallet)
        const told = await mineLag()
        if (moment === 'while it is stopped') {
          await ingestUpTo(told)
          await replaceBranch(mined, variant)
          await ingestUpTo(await mineLag())
        } else {
          const running = startIngest()
          await running.reaches(told)
          await replaceBranch(mined, variant)
          await running.reaches(await mineLag())
          await running.stop()
        }

        const canonical = await readCanonicalFacts(log, codecs)
        expect(canonical.ticks.filter(({ revertedFrom }) => revertedFrom !== null)).to.have.length(1)
        expect(canonical.ids).to.deep.equal(await factIdsOfNode(canonical.ticks.at(-1)?.blockNumber ?? 0))
        const blocks = canonical.facts.filter(({ data }) => 'ethWei' in data && isOf(mined, data.txHash))
        const expected = { same: [0, 1, 2], dropped: [], moved: [4, 4, 4] }[variant]
        expect(blocks.map(({ data }) => data.blockNumber - mined.fromBlock)).to.deep.equal(expected)
        expect(await deadSwaps(canonical), 'what was told first is still in the log').to.equal(3)
      })
})
