/**
 * Runs a local chain A: a real node with the real contracts of Uniswap. A test trades from any number of
 * wallets, and sets the time of each block in whole seconds.
 */
import assert from 'node:assert/strict'
import { type Address, getContractAddress, type Hex, keccak256, toHex } from 'viem'
import { type Anvil, createAsk, rpc, rpcBatch, startAnvil } from './anvil.ts'
import { type ChainAContracts, contractsAt, deployment } from './deployment.ts'

/** With `mayFail`, the transaction may revert. Any other revert fails the test. */
export type NodeTransaction = Readonly<{
  from: Address
  to: Address | null
  data: Hex
  valueWei?: bigint
  gas?: bigint
  mayFail?: boolean
}>

type NodeReceipt = Readonly<{ transactionHash: Hex; status: Hex; contractAddress: Address | null }>

type MinedBlock = Readonly<{ number: number; atMs: number; receipts: readonly NodeReceipt[] }>

export type ChainANode = Readonly<{
  rpcUrl: string
  pid: number
  contracts: ChainAContracts
  /** Calls the node. Calls that are made in the same turn of the event loop go in one request. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>
  /**
   * Mines one block with these transactions, in this order. `atMs` is a multiple of 1000 and not before the
   * last block. With `orLater`, a block that comes too late gets the time of the block before it.
   */
  mine(
    atMs: number,
    transactions?: readonly NodeTransaction[],
    pace?: Readonly<{ orLater: boolean }>,
  ): Promise<MinedBlock>
  /** Stores the newest block. The returned function removes every later block, as a reorg does. */
  checkpoint(): Promise<() => Promise<void>>
  /**
   * Mines an empty block every `intervalMs` until the returned function is called. Each block gets the
   * current time, or the time of the last block if that is later.
   */
  heartbeat(intervalMs: number): () => Promise<void>
  stop(): Promise<void>
}>

const etherEach = 10n ** 24n
const gasPriceWei = 2_000_000_000n
const gasDefault = 1_000_000n

/** Returns the address of a trader. The address gets ETH before its first transaction. */
export const walletOf = (name: string): Address => `0x${keccak256(toHex(`wallet ${name}`)).slice(-40)}`

const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** Starts the node and deploys all contracts in its first blocks. The time of these blocks is `startAtMs`. */
export async function createChainANode(options: Readonly<{ startAtMs: number }>): Promise<ChainANode> {
  const anvil = await startAnvil(options.startAtMs)
  try {
    const nonces = new Map<Address, number>()
    const mine = createMiner(anvil, nonces)
    const contracts = await deployContracts(anvil, mine, options.startAtMs)
    return {
      rpcUrl: anvil.rpcUrl,
      pid: anvil.pid,
      contracts,
      rpc: createAsk(anvil.rpcUrl),
      mine,
      checkpoint: () => takeCheckpoint(anvil, nonces),
      heartbeat: (intervalMs) => startHeartbeat(mine, intervalMs),
      stop: anvil.stop,
    }
  } catch (cause) {
    await anvil.stop()
    throw cause
  }
}

type Miner = ChainANode['mine']

function createMiner(anvil: Anvil, nonces: Map<Address, number>): Miner {
  const send = sender(anvil, nonces)
  let turn: Promise<unknown> = Promise.resolve()
  const mine: Miner = async (wantedAtMs, transactions = [], { orLater } = { orLater: false }) => {
    const hashes = await send(transactions)
    const atMs = orLater ? Math.max(wantedAtMs, await headAtMs(anvil)) : wantedAtMs
    await rpc(anvil.rpcUrl, 'evm_mine', [Math.floor(atMs / 1000)])
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const [number, ...receipts] = await rpcBatch(anvil.rpcUrl, [{ method: 'eth_blockNumber', params: [] }, ...calls])
    receipts.forEach((receipt, index) => {
      assertMined(receipt as NodeReceipt | null, transactions[index])
    })
    return { number: Number(number), atMs, receipts: receipts as readonly NodeReceipt[] }
  }
  // The heartbeat and the test mine on the same chain. Therefore each block waits until the block before it
  // is mined.
  return (...wanted) => {
    const block = turn.then(() => mine(...wanted))
    turn = block.catch(() => undefined)
    return block
  }
}

async function headAtMs({ rpcUrl }: Anvil): Promise<number> {
  const head = (await rpc(rpcUrl, 'eth_getBlockByNumber', ['latest', false])) as Readonly<{ timestamp: Hex }>
  return Number(head.timestamp) * 1000
}

function assertMined(receipt: NodeReceipt | null, transaction: NodeTransaction | undefined): void {
  assert(receipt !== null, 'a transaction was left out of its block')
  const failed = receipt.status !== '0x1'
  assert(!failed || transaction?.mayFail === true, `a transaction reverted: ${JSON.stringify(transaction, bigintText)}`)
}

const bigintText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/**
 * Sends transactions. The nonces are counted here, because a request to the node for each transaction would
 * be slow.
 */
function sender(anvil: Anvil, nonces: Map<Address, number>) {
  return async (transactions: readonly NodeTransaction[]): Promise<readonly Hex[]> => {
    const strangers = [...new Set(transactions.map(({ from }) => from))].filter((from) => !nonces.has(from))
    const funding = strangers.map((from) => ({ method: 'anvil_setBalance', params: [from, quantity(etherEach)] }))
    await rpcBatch(anvil.rpcUrl, funding)
    for (const from of strangers) nonces.set(from, 0)
    const calls = transactions.map((transaction) => {
      const nonce = nonces.get(transaction.from) ?? 0
      nonces.set(transaction.from, nonce + 1)
      return { method: 'eth_sendTransaction', params: [toRequest(transaction, nonce)] }
    })
    return (await rpcBatch(anvil.rpcUrl, calls)) as readonly Hex[]
  }
}

function toRequest(transaction: NodeTransaction, nonce: number) {
  return {
    from: transaction.from,
    ...(transaction.to === null ? {} : { to: transaction.to }),
    data: transaction.data,
    value: quantity(transaction.valueWei ?? 0n),
    // The gas limit is given, so the node does not estimate it. The node's estimate is too low for calls that
    // catch failures.
    gas: quantity(transaction.gas ?? gasDefault),
    gasPrice: quantity(gasPriceWei),
    nonce: quantity(nonce),
  }
}

async function deployContracts(anvil: Anvil, mine: Miner, atMs: number): Promise<ChainAContracts> {
  const from = walletOf('deployer')
  const contracts = contractsAt((nonce) => getContractAddress({ from, nonce: BigInt(nonce) }))
  const plan = deployment(contracts, from)
  const transactions = plan.creations.map((data) => ({ from, to: null, data, gas: 16_000_000n }))
  await rpcBatch(
    anvil.rpcUrl,
    [...plan.code].map(([address, code]) => ({ method: 'anvil_setCode', params: [address, code] })),
  )
  const { receipts } = await mine(atMs, transactions)
  for (const [address, source] of plan.copies) {
    const runtime = await rpc(anvil.rpcUrl, 'eth_getCode', [source, 'latest'])
    await rpc(anvil.rpcUrl, 'anvil_setCode', [address, runtime])
  }
  assert.equal(receipts.at(0)?.contractAddress?.toLowerCase(), contracts.poolManager.toLowerCase())
  return contracts
}

async function takeCheckpoint(anvil: Anvil, nonces: Map<Address, number>): Promise<() => Promise<void>> {
  const snapshot = await rpc(anvil.rpcUrl, 'evm_snapshot')
  const noncesThen = new Map(nonces)
  return async () => {
    assert.equal(await rpc(anvil.rpcUrl, 'evm_revert', [snapshot]), true, 'the node went back to its checkpoint')
    nonces.clear()
    for (const [wallet, nonce] of noncesThen) nonces.set(wallet, nonce)
  }
}

function startHeartbeat(mine: Miner, intervalMs: number): () => Promise<void> {
  let beating: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    beating = beating.then(() => mine(Date.now(), [], { orLater: true }))
  }, intervalMs)
  return async () => {
    clearInterval(timer)
    await beating
  }
}
