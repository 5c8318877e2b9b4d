/** Reads from a node everything from which tests recompute the answers of the service. */
import assert from 'node:assert/strict'
import { findBursts } from './bursts.ts'
import { readEvents } from './events.ts'
import { placesToRead, readHoldings } from './holdings.ts'
import { oracleRules } from './oracle-rules.ts'
import type { AskNode, RawLog, Recording, Word } from './recording.ts'

/**
 * Records the current chain. The bursts and changes in the logs decide at which blocks the owners of
 * liquidity are read. What an `earlier` recording of the same branch contains is not requested again.
 */
export async function recordChain(
  ask: AskNode,
  contracts: Recording['contracts'],
  earlier?: Recording,
): Promise<Recording> {
  const head = (await ask('eth_getBlockByNumber', ['latest', false])) as { number: Word; timestamp: Word }
  const logs = (await ask('eth_getLogs', [{ fromBlock: '0x0', toBlock: head.number }])) as readonly RawLog[]
  const { poolManager, positionManager, stateView, v3Factory, weth } = contracts
  const told: Recording = {
    contracts: { poolManager, positionManager, stateView, v3Factory, weth },
    logs: logs.map(wordsOf),
    senders: await sendersOf(ask, [...new Set(logs.map((log) => log.transactionHash))], earlier?.senders),
    holdings: [],
    head: { number: Number(head.number), atMs: Number(head.timestamp) * 1000 },
  }
  const events = readEvents(told, oracleRules)
  const bursts = findBursts(events, told.senders, oracleRules)
  const known = earlier?.holdings ?? []
  const knownPlaces = new Set(known.map(({ pool, block }) => `${pool} ${block}`))
  const places = placesToRead(events, bursts, told.head.atMs)
  const unread = places.filter(({ pool, block }) => !knownPlaces.has(`${pool.id} ${block}`))
  return { ...told, holdings: [...known, ...(await readHoldings(ask, told.contracts, unread))] }
}

const wordsOf = (log: RawLog): RawLog => {
  const { address, topics, data, blockNumber, blockTimestamp, transactionHash, logIndex } = log
  return { address, topics, data, blockNumber, blockTimestamp, transactionHash, logIndex }
}

const askedAtOnce = 200

async function sendersOf(
  ask: AskNode,
  hashes: readonly Word[],
  known: Recording['senders'] = {},
): Promise<Record<string, Word>> {
  const senders: Record<string, Word> = { ...known }
  const unknown = hashes.filter((hash) => !(hash in senders))
  for (let from = 0; from < unknown.length; from += askedAtOnce) {
    const asked = unknown.slice(from, from + askedAtOnce).map(async (hash) => {
      const transaction = (await ask('eth_getTransactionByHash', [hash])) as { from: Word } | null
      assert(transaction !== null, `the node does not know ${hash}`)
      senders[hash] = transaction.from.toLowerCase() as Word
    })
    await Promise.all(asked)
  }
  return senders
}
