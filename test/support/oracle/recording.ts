/** What a node says happened: its logs word for word, and who sent each transaction. */
import assert from 'node:assert/strict'

type Word = `0x${string}`

export type RawLog = Readonly<{
  address: Word
  topics: readonly Word[]
  data: Word
  blockNumber: Word
  blockTimestamp: Word
  transactionHash: Word
  logIndex: Word
}>

export type Recording = Readonly<{
  contracts: Readonly<{ poolManager: Word; v3Factory: Word; weth: Word }>
  logs: readonly RawLog[]
  /** Transaction hash to sender, lower case. */
  senders: Readonly<Record<string, Word>>
  head: Readonly<{ number: number; atMs: number }>
}>

export type AskNode = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** Everything that the chain holds now. */
export async function recordChain(ask: AskNode, contracts: Recording['contracts']): Promise<Recording> {
  const head = (await ask('eth_getBlockByNumber', ['latest', false])) as { number: Word; timestamp: Word }
  const logs = (await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: head.number }])) as readonly RawLog[]
  const { poolManager, v3Factory, weth } = contracts
  return {
    contracts: { poolManager, v3Factory, weth },
    logs: logs.map(wordsOf),
    senders: await sendersOf(ask, [...new Set(logs.map((log) => log.transactionHash))]),
    head: { number: Number(head.number), atMs: Number(head.timestamp) * 1000 },
  }
}

const wordsOf = (log: RawLog): RawLog => {
  const { address, topics, data, blockNumber, blockTimestamp, transactionHash, logIndex } = log
  return { address, topics, data, blockNumber, blockTimestamp, transactionHash, logIndex }
}

const askedAtOnce = 50

async function sendersOf(ask: AskNode, hashes: readonly Word[]): Promise<Record<string, Word>> {
  const senders: Record<string, Word> = {}
  for (let from = 0; from < hashes.length; from += askedAtOnce) {
    const asked = hashes.slice(from, from + askedAtOnce).map(async (hash) => {
      const transaction = (await ask('eth_getTransactionByHash', [hash])) as { from: Word } | null
      assert(transaction !== null, `the node does not know ${hash}`)
      senders[hash] = transaction.from.toLowerCase() as Word
    })
    await Promise.all(asked)
  }
  return senders
}
