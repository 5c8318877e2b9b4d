/** The launchpad of the simulated chain: its curves, and the answers of its contracts. */
import type { RawLog } from '../../../ingest/chain-a/decode/log-words.ts'
import { ponsTopics } from '../../../ingest/chain-a/launchpads/pons-v2.ts'
import { ponsSelectors } from '../../../ingest/chain-a/launchpads/pons-v2-calls.ts'
import type { Random } from '../../../ingest/simulated/random.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  addressOf,
  type Curve,
  type Deed,
  type DeedLog,
  dataOf,
  type Market,
  topicOf,
  word,
} from './branching-words.ts'

export const curveOf = (hash: Hex): Curve => ({
  curve: addressOf('curve', hash),
  token: addressOf('curve token', hash),
})

export const curveTerms = { symbol: 'TOY', phantomWei: 168n, supplyRaw: 1000n } as const
export const oldReserveWei = 5000n
const graduationWei = 420_000n
const netWei = 98

export function curveDeed(random: Random, { emitters: { ponsFactory }, curves, nextHash }: Market): Deed {
  const hash = nextHash()
  const [first, ...rest] = curves
  if (!first || random.chance(0.2)) return launch(ponsFactory, hash)
  const { curve, token } = random.pick([first, ...rest])
  const people = [topicOf(addressOf('router')), topicOf(addressOf('trader', hash))]
  const logOfCurve = (topics: readonly Hex[], words: readonly number[]): DeedLog => ({
    address: curve,
    topics,
    data: dataOf(words),
  })
  if (rest.length === 0 || random.chance(0.8))
    return { hash, logs: [logOfCurve([ponsTopics.curveBuy, ...people], [netWei + 2, 10, 1, 1])] }
  if (curve !== first.curve && random.chance(0.5))
    return { hash, logs: [logOfCurve([ponsTopics.curveCompleted], [0, 0, 0])] }
  const graduated = {
    address: ponsFactory,
    topics: [ponsTopics.poolGraduated, topicOf(token)],
    data: dataOf([7, 1, 1]),
  }
  return { hash, logs: [graduated] }
}

/** Returns a launch with a first buy in the same transaction. */
function launch(factory: Hex, hash: Hex): Deed {
  const { curve, token } = curveOf(hash)
  const people = [topicOf(addressOf('router')), topicOf(addressOf('creator', hash))]
  const topics = [ponsTopics.tokenLaunched, topicOf(token), topicOf(curve), topicOf(addressOf('creator', hash))]
  const launched = { address: factory, topics, data: dataOf([0, 1, graduationWei]) }
  const bought = { address: curve, topics: [ponsTopics.curveBuy, ...people], data: dataOf([netWei + 2, 10, 1, 1]) }
  return { hash, logs: [launched, bought], born: { kind: 'curve', curve, token } }
}

export const reserveWeiOf = (logs: readonly RawLog[], curve: Hex): bigint =>
  logs.reduce((sum, { address, topics }) => {
    return address === curve && topics[0] === ponsTopics.curveBuy ? sum + BigInt(netWei) : sum
  }, 0n)

type State = Readonly<{ logs: readonly RawLog[]; oldCurve: Curve; factory: Hex }>

/** Returns what the contract `to` answers. An address without code answers with no bytes. */
export function curveAnswer({ to, data }: Readonly<{ to: Hex; data: Hex }>, { logs, oldCurve, factory }: State): Hex {
  const launched = logs.flatMap(({ topics }) =>
    topics[0] === ponsTopics.tokenLaunched ? [{ token: asAddress(topics[1]), curve: asAddress(topics[2]) }] : [],
  )
  const curves = [oldCurve, ...launched]
  if (to === factory) {
    const found = curves.find(({ token }) => data.endsWith(token.slice(2)))
    return found ? recordOf(found) : '0x'
  }
  const found = curves.find(({ curve, token }) => to === curve || to === token)
  if (!found) return '0x'
  const before = found === oldCurve ? oldReserveWei : 0n
  const isFull = logs.some(({ address, topics }) => address === to && topics[0] === ponsTopics.curveCompleted)
  const answers: Partial<Record<string, Hex>> = {
    [ponsSelectors.token]: topicOf(found.token),
    [ponsSelectors.phantomQuote]: dataOf([curveTerms.phantomWei]),
    [ponsSelectors.totalSupply]: dataOf([curveTerms.supplyRaw]),
    [ponsSelectors.symbol]: `0x${Buffer.from(curveTerms.symbol).toString('hex').padEnd(64, '0')}`,
    [ponsSelectors.realQuoteReserve]: dataOf([before + reserveWeiOf(logs, to)]),
    [ponsSelectors.graduated]: dataOf([isFull ? 1 : 0]),
  }
  return answers[data] ?? '0x'
}

const asAddress = (topic: Hex | undefined): Hex => `0x${topic?.slice(26)}`

const recordOf = ({ curve, token }: Curve): Hex =>
  `${topicOf(token)}${[curve, token, token].map((each) => topicOf(each).slice(2)).join('')}${word(0)}${word(graduationWei)}`
