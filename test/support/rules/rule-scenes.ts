/**
 * Small sets of fixed facts and answers, from which a stage derives records. With changed rules, the stage
 * must derive other records.
 */
import type { RunnableStage } from '../../../processors/runtime/runnable-stage.ts'
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import { createChainA, createChainB } from '../../../processors/stages.ts'
import { gradeTable } from '../../../schemas/calls/grades.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { defaultRules, type RuledStage, type Rules } from '../../../schemas/rules.ts'
import { isTick, type StageTypes } from '../../../schemas/stage.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { marketFacts } from '../../replay/market/market-facts.ts'
import { buildCard } from '../builders/build-cards.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSwap,
  buildTick,
  second,
  testStartAtMs,
} from '../builders/build-facts.ts'
import { buildMention, buildPriceAnswer } from '../builders/build-mentions.ts'
import { curveMarket } from '../chain-b/market.ts'

type ChainARecords = readonly KeyedRecord<ChainATypes>[]

export type RuleScene = Readonly<{
  stage: RuledStage
  /** Returns true if the stage derives other records with these rules than with the default rules. */
  isOther(rules: Rules): boolean
}>

const toText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

function sceneOf<Types extends StageTypes>(
  stage: RuledStage,
  create: (rules: Rules) => RunnableStage<Types>,
  records: readonly KeyedRecord<Types>[],
): RuleScene {
  function* derived(rules: Rules): Generator<string> {
    const runnable = create(rules)
    const driver = createTestDriver(runnable)
    for (const { key, record } of records) {
      if (isTick(record))
        for (const output of driver.tick(record.data.blockAtMs, record.data)) yield JSON.stringify(output, toText)
      else if (runnable.stage.isAnswer(record)) driver.answer(key, record)
      else driver.fact(key, record)
    }
  }
  const standard = [...derived(defaultRules)]
  return {
    stage,
    isOther(rules) {
      let count = 0
      // The function returns at the first difference.
      for (const line of derived(rules)) if (line !== standard[count++]) return true
      return count !== standard.length
    },
  }
}

type Timed = Readonly<{
  atSec: number
  key: string
  record: Exclude<KeyedRecord<ChainATypes>['record'], { type: 'Tick' }>
}>

/** Adds a tick after each second that has a record, and after each second of `tickSec`. */
function ticked(timed: readonly Timed[], tickSec: readonly number[] = []): ChainARecords {
  const seconds = [...new Set([...timed.map(({ atSec }) => atSec), ...tickSec])].sort((one, other) => one - other)
  return seconds.flatMap(
    (atSec, index): ChainARecords => [
      ...timed.filter((one) => one.atSec === atSec).map(({ key, record }) => ({ key, record })),
      { key: 'tick', record: { type: 'Tick', data: buildTick({ seq: index + 1, blockAtMs: second(atSec) }) } },
    ],
  )
}

const token = buildAddress(0x70)
const hourSec = 3600

/** Builds a pool and twelve buys within a minute. The buys begin when the pool is `ageSec` seconds old. */
const burstAt = (index: number, ageSec: number): readonly Timed[] => {
  const pool = buildHash(0xb00 + index)
  const opened = { atSec: 0, key: token, record: buildPoolCreated({ pool, token, blockAtMs: second(0) }) }
  const buys = Array.from({ length: 12 }, (_, buy) => {
    const atSec = ageSec + 4 * buy
    return { atSec, key: token, record: buildSwap({ pool, eth: 0.1 + buy / 100, blockAtMs: second(atSec) }) }
  })
  return [opened, ...buys]
}

/** A burst that stops: the twelfth buy comes long after the others. Its block also has a larger sell. */
const halted: readonly Timed[] = (() => {
  const pool = buildHash(0xbff)
  const [opened, ...buys] = burstAt(0xff, 400)
  const last = [0.1, -0.15].map((eth) => ({
    atSec: 455,
    key: token,
    record: buildSwap({ pool, eth, blockAtMs: second(455) }),
  }))
  return [...(opened ? [opened] : []), ...buys.slice(0, 11), ...last]
})()

const bursts = ticked(
  [...burstAt(1, 5 * hourSec), ...burstAt(2, 20 * hourSec), ...halted].sort((one, other) => one.atSec - other.atSec),
  [30 * hourSec],
)

/**
 * Builds a price provider's answer for one price sample of a called token. The token has a price at the post
 * and after eight hours, and no price at the samples between them.
 */
const priceAfter = (minutes: number): Timed => {
  const px = minutes === 0 || minutes === 480 ? 2 : null
  const { data, type } = buildPriceAnswer(`${token}:${second(60 * minutes)}`, px)
  const record = { type, data: { ...data, answeredAtMs: second(60 * minutes + 1) } }
  return { atSec: 60 * minutes + 65, key: token, record }
}

export const diedOut = ticked(
  [
    { atSec: 5, key: token, record: buildMention({ postedAtMs: testStartAtMs }) },
    ...Array.from({ length: 49 }, (_, sample) => priceAfter(10 * sample)),
  ],
  Array.from({ length: 9 * 60 }, (_, minute) => 60 * minute + 5),
)

/**
 * There is one card (a bot's post with values of a token) at each limit of the rules for grades, and one card
 * at the lowest score of each grade.
 */
const cards = ticked(
  [
    ...gradeTable.rules.map(({ field, limit }) => ({ [field]: field === 'holders' ? limit - 1 : limit })),
    { top10Pct: 0.3 },
    { top10Pct: 0.3, bundlePct: 0.25 },
    { top10Pct: 0.5, topHolder1Pct: 0.2 },
    { top10Pct: 0.5, topHolder1Pct: 0.2, bundlePct: 0.25 },
  ]
    .flatMap((readings, index) =>
      [0, 40 * hourSec].map((atSec, bot) => ({
        atSec: atSec + 2,
        key: buildAddress(0x400 + index),
        record: buildCard({
          ...(bot === 0 ? readings : { snipers: 10 }),
          bot: `bot-${bot}`,
          postedAtMs: second(atSec),
        }),
      })),
    )
    .sort((one, other) => one.atSec - other.atSec),
  [60 * hourSec, 100 * hourSec],
)

/** The sets of facts and answers, in the order of the work that they need. The least work comes first. */
export const ruleScenes: readonly RuleScene[] = [
  sceneOf<ChainATypes>('chain-a', createChainA, bursts),
  sceneOf<ChainATypes>('chain-a', createChainA, cards),
  sceneOf<ChainATypes>('chain-a', createChainA, marketFacts(1, 4, { hasPosts: true })),
  sceneOf<ChainATypes>('chain-a', createChainA, marketFacts(2, 4, { hasPosts: true })),
  sceneOf<ChainATypes>('chain-a', createChainA, diedOut),
  sceneOf<ChainBTypes>('chain-b', createChainB, curveMarket(1, 10, { hasPosts: true })),
]
