/**
 * Computes the facts that the log must contain for the final fake chain. They are computed from the script,
 * without code of ingest.
 */
import { base58 } from '@scure/base'
import type { ChainBEvent, ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import type { FakeBlock, FakeChain, FakeTransaction } from './chain.ts'

export type ExpectedFact = Readonly<{ key: string; fact: ChainBFact }>
type Place = Pick<ChainBFact['data'], 'blockNumber' | 'blockHash' | 'blockAtMs' | 'txHash' | 'txIndex' | 'logIndex'>
type Span = Readonly<{ fromSlot: number; toSlot: number }>

const hexOf = (text: string): Hex => `0x${Buffer.from(base58.decode(text)).toString('hex')}`

/**
 * Returns the expected facts. A mint that was launched before the span is found at its first trade in the
 * span. Earlier facts of the mint are not expected.
 */
export function expectedFacts(chain: FakeChain, span: Span): readonly ExpectedFact[] {
  const known = new Set<string>()
  const facts: ExpectedFact[] = []
  for (const { transaction, fact } of eventsIn(chain, span)) {
    const { mint: key } = transaction.scripted.mint
    if (fact.type === 'CurveTraded' && !known.has(key)) facts.push({ key, fact: foundBefore(chain, transaction, fact) })
    if (fact.type === 'CurveTraded' || fact.type === 'CurveLaunched') known.add(key)
    if (known.has(key)) facts.push({ key, fact })
  }
  return facts
}

function* eventsIn(chain: FakeChain, { fromSlot, toSlot }: Span) {
  for (const block of chain.blocks().filter(({ slot }) => slot >= fromSlot && slot <= toSlot))
    for (const [txIndex, transaction] of block.transactions.entries()) {
      const { isFailed, facts } = transaction.scripted
      for (const [logIndex, event] of isFailed ? [] : facts.entries()) {
        const data = { ...event.data, ...placeOf(block, transaction, { txIndex, logIndex }) }
        yield { transaction, fact: { ...event, data } as ChainBEvent }
      }
    }
}

const placeOf = (
  { slot, hash, atSec }: FakeBlock,
  { signature }: FakeTransaction,
  indexes: Readonly<{ txIndex: number; logIndex: number }>,
): Place => ({ blockNumber: slot, blockHash: hash, blockAtMs: atSec * 1000, txHash: hexOf(signature), ...indexes })

function foundBefore(
  chain: FakeChain,
  { scripted: { mint } }: FakeTransaction,
  { data: trade }: Extract<ChainBEvent, { type: 'CurveTraded' }>,
): ChainBFact {
  const launch = chain
    .blocks()
    .find(({ transactions }) =>
      transactions.some(({ scripted }) => !scripted.isFailed && scripted.names.includes(mint.curve)),
    )
  const { blockNumber, blockHash, blockAtMs, txHash, txIndex, logIndex, quoteMint, isMayhem } = trade
  return {
    type: 'CurveFound',
    data: {
      ...{ curve: hexOf(mint.curve), creator: mint.creator, supplyRaw: 10n ** 15n },
      ...{ launchSlot: launch?.slot ?? null, launchAtMs: launch ? launch.atSec * 1000 : null },
      virtualQuoteRaw: trade.virtualQuoteRaw - trade.quoteRaw,
      virtualTokenRaw: trade.virtualTokenRaw + trade.tokenRaw,
      realQuoteRaw: trade.realQuoteRaw - trade.quoteRaw,
      realTokenRaw: trade.realTokenRaw + trade.tokenRaw,
      ...{ quoteMint, isMayhem, blockNumber, blockHash, blockAtMs, txHash, txIndex, logIndex },
    },
  }
}
