/**
 * Runs the stage of chain B over random trades, and answers its lookups of holders and of safety reports. An
 * answer comes some ticks later, or a day later, or never. Some answers are failures or empty.
 */
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import { chainB } from '../../../processors/stages.ts'
import type { ChainBDerived, HoldersAsked } from '../../../schemas/chain-b/derived.ts'
import type { ChainBAnswer, SafetyAnswer } from '../../../schemas/chain-b/facts.ts'
import type { SafetyAsked } from '../../../schemas/chain-b/safety.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { drive } from '../../replay/canonical-log.ts'
import type { KeyedRecord } from '../../replay/keyed-record.ts'
import { buildHoldersAnswered, buildKey, buildSafetyAnswered } from '../../support/chain-b/build-facts.ts'
import { holdersLookup } from '../../support/chain-b/market.ts'

type Records = readonly KeyedRecord<ChainBTypes>[]
type Derived = readonly TokenOutput<ChainBDerived>[]

/**
 * `log` has the records in their order, without answers from another branch of the chain. `told` has the
 * outputs of each record in `log`.
 */
export type DerivedMarket = Readonly<{ log: Records; told: readonly Derived[] }>

export function deriveMarket(records: Records): DerivedMarket {
  const driver = createTestDriver(chainB)
  const log: KeyedRecord<ChainBTypes>[] = []
  const told: Derived[] = []
  let waiting: readonly Readonly<{ tick: number; answer: KeyedRecord<ChainBTypes> }>[] = []
  let ticks = 0
  const pipe = (keyed: KeyedRecord<ChainBTypes>): Derived => {
    const outputs = drive(chainB.stage, driver, [keyed])
    if (!isFromOtherBranch(keyed)) {
      log.push(keyed)
      told.push(outputs)
    }
    return outputs
  }
  for (const keyed of records) {
    if (keyed.record.type !== 'Tick') {
      pipe(keyed)
      continue
    }
    ticks += 1
    for (const { tick, answer } of waiting) if (tick === ticks) pipe(answer)
    waiting = waiting.filter(({ tick }) => tick > ticks)
    const answers = pipe(keyed).flatMap(answersTo)
    waiting = [...waiting, ...answers.map(({ after, ...answer }) => ({ tick: ticks + after, answer }))]
  }
  return { log, told }
}

const otherRevision = -1
const isFromOtherBranch = ({ record }: KeyedRecord<ChainBTypes>): boolean =>
  record.type === 'HoldersAnswered' && record.data.revision === otherRevision

type LateAnswer = Readonly<{ key: string; record: ChainBAnswer; after: number }>

function answersTo({ token: key, record }: TokenOutput<ChainBDerived>): readonly LateAnswer[] {
  const answer = (said: ChainBAnswer, after: number): LateAnswer => ({ key, record: said, after })
  if (record.type === 'HoldersAsked') return holdersSaid(key, record.data).map((said, index) => answer(said, 2 + index))
  if (record.type !== 'SafetyAsked') return []
  const second = record.data.atMs / 1000
  // The largest delay is longer than the stage waits for an answer.
  const after = [1, 3, 60, 100_000][second % 4] ?? 1
  return safetySaid(record.data).map((said, index) => answer(said, after + index))
}

/**
 * Returns several answers. The stage must use the first answer with the right `questionId` and `revision`.
 * Every seventh lookup gets no answer.
 */
function holdersSaid(token: string, asked: HoldersAsked): readonly ChainBAnswer[] {
  const second = asked.atMs / 1000
  if (second % 7 === 0) return []
  const { questionId, revision } = asked
  const { record } = holdersLookup.answerTo({ token, asked })
  const nobody = buildHoldersAnswered({ questionId, revision, holders: [] })
  const other = buildHoldersAnswered({ questionId, revision: otherRevision, holders: [] })
  const said = second % 3 === 0 ? nobody : (record as ChainBAnswer)
  return [other, buildHoldersAnswered({ questionId: `${questionId}?`, revision, holders: [] }), said, nobody]
}

const silent = {
  ...{ score: null, isRugged: null, mintAuthority: null, freezeAuthority: null, hasPool: null },
  ...{ lpLockedShare: null, topHolderShare: null, risks: [] },
}
const risks = [
  ...[
    { name: 'old', level: 'warn' },
    { name: 'bad', level: 'danger' },
  ],
  ...[
    { name: 'worse', level: 'danger' },
    { name: 'bad', level: 'danger' },
  ],
]
const reports: readonly NonNullable<SafetyAnswer['data']['report']>[] = [
  { ...silent, score: 7, risks },
  silent,
  { ...silent, isRugged: false },
  { ...silent, mintAuthority: buildKey(0xaa), freezeAuthority: buildKey(0xbb) },
  { ...silent, lpLockedShare: 0, hasPool: true },
  { ...silent, topHolderShare: 0.5, freezeAuthority: buildKey(0xbb) },
  { ...silent, risks: risks.slice(0, 1) },
]

/**
 * Returns three answers, of which only the middle one counts. In every fifth case, the middle answer is a
 * failure.
 */
function safetySaid({ questionId, revision, atMs }: SafetyAsked): readonly ChainBAnswer[] {
  const second = atMs / 1000
  const report = reports[second % reports.length] ?? silent
  const said = second % 5 === 0 ? { report: null } : { report, failure: null }
  return [
    buildSafetyAnswered({ questionId: `${questionId}?`, revision, answeredAtMs: atMs, report: silent, failure: null }),
    buildSafetyAnswered({ questionId, revision, answeredAtMs: atMs + 300, ...said }),
    buildSafetyAnswered({
      questionId,
      revision,
      answeredAtMs: atMs + 600,
      report: reports[0] ?? silent,
      failure: null,
    }),
  ]
}
