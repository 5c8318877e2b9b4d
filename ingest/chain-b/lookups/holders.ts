import { hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import type { ChainBDerived } from '../../../schemas/chain-b/derived.ts'
import type { HoldersAnswer } from '../../../schemas/chain-b/facts.ts'
import { type Address, type BlockNumber, type DurationMs, minuteMs } from '../../../schemas/units.ts'
import type { Lookup } from '../../lookups/lookup.ts'
import { withLimit } from '../../with-limit.ts'

type Question = Extract<ChainBDerived, { type: 'HoldersAsked' }>
type Holders = NonNullable<HoldersAnswer['data']['holders']>

/**
 * Returns the owners of the largest token accounts of a mint. A real node returns the present owners. The
 * simulator returns the owners at the end of the slot. After every failure the request is sent again, because
 * a node that does not know the mint may only be behind the chain.
 */
export type HolderReader = (
  question: Readonly<{ mint: Address; slot: BlockNumber }>,
  signal: AbortSignal,
) => Promise<Holders>

type HoldersOptions = Readonly<{
  /**
   * The maximum age of the burst for which the holders are requested. A node knows only the present holders,
   * which would be wrong for an older burst. Default: no maximum, for a reader that knows past holders.
   */
  ageMsMax?: DurationMs
  /**
   * The time limit of one attempt. Without a limit, a node that does not answer would delay the requests for
   * other mints.
   */
  limitMs?: DurationMs
}>

/**
 * The time after which no more attempts are made, in milliseconds. The holders are part of the details of a
 * burst, which must be complete within a minute of the burst.
 */
const askForMs = minuteMs

const notInTime = () => new OperationError('node_unreachable', 'the node did not answer in time')

/** Creates the lookup of the largest holders of a mint at the time of a burst. */
export const createHoldersLookup = (
  readHolders: HolderReader,
  { ageMsMax = Number.POSITIVE_INFINITY, limitMs = 10_000 }: HoldersOptions = {},
): Lookup<Question, HoldersAnswer, Holders> => ({
  questionType: 'HoldersAsked',
  answerType: 'HoldersAnswered',
  askAfterMs: 0,
  askForMs,
  oftenFails: true,
  questionIdOf: ({ atMs }, mint) => `${mint}:${atMs}`,
  async find({ questionId, slot }, { signal, ageMs }) {
    const mint = hexOfBase58(questionId.slice(0, questionId.indexOf(':')), 32)
    if (mint === null) throw new OperationError('node_refused', `the question ${questionId} names no mint`)
    if (ageMs() > ageMsMax)
      throw new OperationError('node_refused', 'the question is too old: the node knows only the present holders', {
        context: { ageMs: ageMs() },
      })
    const leftMs = askForMs - ageMs()
    try {
      const limit = { limitMs: leftMs > 0 ? Math.min(limitMs, leftMs) : limitMs, signal, onLimit: notInTime }
      return { found: await withLimit(limit, (its) => readHolders({ mint, slot }, its)) }
    } catch (error) {
      if (error instanceof OperationError) return { missing: error.message }
      throw error
    }
  },
  answerOf: (_, holders) => ({ holders }),
})
