/**
 * Runs the stage of chain A over random trades. Its lookups of senders and owners are answered some ticks
 * later. An answer is right, names another owner, is a failure, or never comes. Some answers come after the
 * stage has already published without them.
 */
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import { chainA } from '../../processors/stages.ts'
import type { ChainADerived, OwnersAsked, SendersAsked } from '../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, isAnswer } from '../../schemas/chain-a/facts.ts'
import { buildAddress, buildOwnersAnswered, buildSendersAnswered } from '../support/builders/build-facts.ts'
import type { RandomMarket } from '../support/oracle/random/chain-a-market.ts'

type Asked = Extract<ChainADerived, { type: 'SendersAsked' | 'OwnersAsked' }>
const fates = ['answered', 'answered', 'doubted', 'failed', 'lacking', 'unanswered'] as const
/**
 * What happens to a lookup. With `doubted`, the first NFT has another owner. With `lacking`, the last
 * transaction has no sender.
 */
export type Fate = (typeof fates)[number]
export const fateOf = ({ atMs, pool }: Readonly<{ atMs: number; pool: string }>): Fate =>
  fates[(atMs / 1000 + Number(BigInt(pool) % 7n)) % fates.length] ?? 'answered'

export function deriveMarket(market: RandomMarket): readonly ChainADerived[] {
  const driver = createTestDriver(chainA)
  let waiting: readonly Readonly<{ token: string; tick: number; asked: Asked }>[] = []
  let ticks = 0
  for (const { key, record } of market.records) {
    if (record.type !== 'Tick') {
      if (isAnswer(record)) driver.answer(key, record)
      else driver.fact(key, record)
      continue
    }
    ticks += 1
    for (const { token, asked } of waiting.filter(({ tick }) => tick === ticks))
      for (const answer of answersTo(asked, market)) driver.answer(token, answer)
    waiting = waiting.filter(({ tick }) => tick > ticks)
    for (const { token, record: derived } of driver.tick(record.data.blockAtMs, record.data))
      if (isAsked(derived)) waiting = [...waiting, { token, tick: ticks + lagOf(derived.data), asked: derived }]
  }
  return driver.outputs().map(({ record }) => record)
}

const isAsked = (derived: ChainADerived): derived is Asked =>
  derived.type === 'SendersAsked' || derived.type === 'OwnersAsked'

const lagOf = ({ atMs }: Readonly<{ atMs: number }>): number => 1 + ((atMs / 1000) % 5)

/**
 * Returns the answers to a lookup. One extra answer has the same id, and another has another `revision`. The
 * stage must ignore both extra answers.
 */
function answersTo(asked: Asked, market: RandomMarket): readonly ChainAAnswer[] {
  const fate = fateOf(asked.data)
  if (fate === 'unanswered') return []
  const { questionId, revision, pool } = asked.data
  const key = { questionId, revision, pool: pool as never }
  const failed = { failure: 'node_unreachable' } as const
  if (asked.type === 'OwnersAsked') {
    const owners = ownersOf(asked.data, fate, market)
    const said = fate === 'failed' ? { owners: null, ...failed } : { owners }
    const others = buildOwnersAnswered({ ...key, owners: [] })
    return [buildOwnersAnswered({ ...key, revision: revision ^ 1 }), buildOwnersAnswered({ ...key, ...said }), others]
  }
  const senders = sendersOf(asked.data, fate, market)
  const said = fate === 'failed' ? { senders: null, ...failed } : { senders }
  const others = buildSendersAnswered({ ...key, senders: [] })
  return [buildSendersAnswered({ ...key, revision: revision ^ 1 }), buildSendersAnswered({ ...key, ...said }), others]
}

function ownersOf({ positionIds, blockNumber }: OwnersAsked, fate: Fate, { ownerOf }: RandomMarket) {
  // An owner of null means that the node reports the NFT as burned.
  const another = blockNumber % 2 === 0 ? null : buildAddress(0xbad)
  return positionIds.map((positionId, index) => ({
    positionId,
    owner: fate === 'doubted' && index === 0 ? another : ownerOf(positionId, blockNumber),
  }))
}

const sendersOf = ({ txHashes }: SendersAsked, fate: Fate, { senders }: RandomMarket) =>
  txHashes.slice(0, fate === 'lacking' ? -1 : undefined).map((txHash) => ({
    txHash,
    sender: senders[txHash] ?? buildAddress(1),
  }))
