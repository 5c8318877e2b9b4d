/** A market of bonding curves as one partition's log: facts in chain order, ticks, and answers as a lookup would give them. */
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../../processors/runtime/walk.ts'
import { chainB } from '../../../processors/stages.ts'
import type { ChainBDerived, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import { isAnswer } from '../../../schemas/chain-b/facts.ts'
import { rulesVersion } from '../../../schemas/chain-b/rules.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createDraw } from '../../replay/draw.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { buildTick } from '../build-facts.ts'
import { buildHoldersAnswered, buildKey } from './build-facts.ts'
import { curveLifeOf } from './curve-life.ts'
import { slotsPerSec, slotTimeOf } from './scripted-curve.ts'

const mintOf = (index: number): string => `Mint${String.fromCharCode(65 + (index % 26))}${index}pump`

const hourSlots = 3600 * slotsPerSec

/** Without answers. A tick stands behind most slots; in the end everything runs out. */
export function curveFacts(seed: number, mintCount: number): KeyedRecord<ChainBTypes>[] {
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

/** What the stage asks. */
export type HoldersQuestion = Readonly<{ token: string; asked: HoldersAsked }>

export const holdersQuestionsIn = (outputs: Iterable<TokenOutput<ChainBDerived>>): HoldersQuestion[] =>
  [...outputs].flatMap(({ token, record }) => (record.type === 'HoldersAsked' ? [{ token, asked: record.data }] : []))

/** Twenty accounts of thirteen owners; the curves, pools and burn addresses of the market are among them. Every fifth lookup fails. */
export function answerToHolders({ token, asked }: HoldersQuestion): KeyedRecord<ChainBTypes> {
  const { questionId, revision, atMs, slot } = asked
  const index = Number.parseInt(token.slice(5), 10)
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

/** With each question answered three ticks after it was asked. */
export function curveMarket(seed: number, mintCount = 10): readonly KeyedRecord<ChainBTypes>[] {
  const records = curveFacts(seed, mintCount)
  const driver = createTestDriver(chainB)
  const questions = new Map<number, HoldersQuestion[]>()
  for (const { key, record } of records)
    if (record.type === 'Tick')
      questions.set(record.data.seq, holdersQuestionsIn(driver.tick(record.data.blockAtMs, record.data)))
    else if (!isAnswer(record)) driver.fact(key, record as Exclude<typeof record, { type: 'HoldersAnswered' }>)
  return records.flatMap((keyed) => {
    if (keyed.record.type !== 'Tick') return [keyed]
    return [...(questions.get(keyed.record.data.seq - 3) ?? []).map(answerToHolders), keyed]
  })
}
