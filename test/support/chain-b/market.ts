/**
 * Builds the log of one partition with simulated bonding curves. The log contains facts in chain order,
 * ticks, and answers of lookups.
 */
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import { chainB } from '../../../processors/stages.ts'
import type { ChainBDerived, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import { rulesVersion } from '../../../schemas/chain-b/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { answeredLog } from '../../replay/answered-log.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { createDraw } from '../../replay/market/draw.ts'
import { withPosts } from '../../replay/market/posts.ts'
import { type ReorgPlan, withReorgs } from '../../replay/reorgs/with-reorgs.ts'
import { buildTick } from '../builders/build-facts.ts'
import { buildHoldersAnswered, buildKey } from './build-facts.ts'
import { curveLifeOf } from './curve-life.ts'
import { slotsPerSec, slotTimeOf } from './scripted-curve.ts'

const mintOf = (index: number): string => `Mint${String.fromCharCode(65 + (index % 26))}${index}pump`

const hourSlots = 3600 * slotsPerSec

/** Builds the facts without answers. Most slots have a tick, and the last ticks let all timers expire. */
function curveFacts(seed: number, mintCount: number): KeyedRecord<ChainBTypes>[] {
  const draw = createDraw(seed)
  const told = Array.from({ length: mintCount }, (_, index) =>
    curveLifeOf(createDraw(1000 * seed + index), { index, kindIndex: index + seed }).map((its) => ({
      ...its,
      key: mintOf(index),
    })),
  ).flat()
  told.sort((left, right) => left.slot - right.slot)
  let seq = 0
  const tick = (slot: number): KeyedRecord<ChainBTypes> => ({
    key: 'tick',
    record: {
      type: 'Tick',
      data: buildTick({ seq: ++seq, blockNumber: slot, blockAtMs: slotTimeOf(slot), rulesVersion }),
    },
  })
  const records = told.flatMap(({ slot, key, fact }, index): KeyedRecord<ChainBTypes>[] => {
    const isLast = told[index + 1]?.slot !== slot
    const keyed = { key, record: fact }
    return isLast && draw(4) > 0 ? [keyed, tick(slot)] : [keyed]
  })
  const end = told.at(-1)?.slot ?? 0
  return [...records, ...[0.1, 1, 30].map((hours) => tick(end + Math.round(hours * hourSlots)))]
}

/** A request of the stage for the holders of a token. */
type HoldersQuestion = Readonly<{ token: string; asked: HoldersAsked }>

const holdersQuestionsIn = (outputs: Iterable<TokenOutput<ChainBDerived>>): HoldersQuestion[] =>
  [...outputs].flatMap(({ token, record }) => (record.type === 'HoldersAsked' ? [{ token, asked: record.data }] : []))

/**
 * Builds an answer with twenty accounts of thirteen owners. The curve, the pool and the burn address of the
 * token are among them. Every fifth lookup fails.
 */
function answerToHolders({ token, asked }: HoldersQuestion): KeyedRecord<ChainBTypes> {
  const { questionId, revision, atMs, slot } = asked
  const index = Number.parseInt(token.slice(5), 10) || 0
  const special = [buildKey(0x1000 + index), buildKey(0x2000 + index), `0x${'00'.repeat(32)}` as const]
  const owners = [...special, ...Array.from({ length: 10 }, (_, owner) => buildKey(0x9000 + owner))]
  const holders = Array.from({ length: 20 }, (_, account) => ({
    owner: owners[(slot + account * 7) % owners.length] ?? buildKey(1),
    tokenRaw: 10n ** 13n * BigInt(40 - account) + BigInt(slot),
  }))
  const isFailed = (atMs / 1000) % 5 === 0
  const said = isFailed ? { holders: null, failure: 'node_unreachable' } : { holders, failure: null }
  return { key: token, record: buildHoldersAnswered({ questionId, revision, answeredAtMs: atMs, ...said }) }
}

/** Finds the requests for holders in the output of chain B, and answers them. */
export const holdersLookup = {
  questionsIn: holdersQuestionsIn,
  nameOf: ({ asked }: HoldersQuestion): string => `${asked.questionId}#${asked.revision}`,
  answerTo: answerToHolders,
}

/**
 * Builds the facts of the curves together with chat posts. The posts are about the mints and about one
 * unknown mint.
 */
const postedFacts = (seed: number, mintCount: number): readonly KeyedRecord<ChainBTypes>[] =>
  withPosts(curveFacts(seed, mintCount), { seed, untracked: mintOf(mintCount) })

/** Builds the log, with an answer to each request for holders. Requests for prices get no answer. */
export const curveMarket = (
  seed: number,
  mintCount = 10,
  { hasPosts = false } = {},
): readonly KeyedRecord<ChainBTypes>[] =>
  answeredLog(chainB, (hasPosts ? postedFacts : curveFacts)(seed, mintCount), holdersLookup)

/** Builds such a log with posts and answers, on a chain with reorgs. */
export const reorgedCurveMarket = (seed: number, plans: readonly ReorgPlan[]): readonly KeyedRecord<ChainBTypes>[] =>
  answeredLog(chainB, withReorgs(chainB.stage, postedFacts(seed, 3), plans), holdersLookup)
