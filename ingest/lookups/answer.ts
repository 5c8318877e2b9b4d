import { isOperationError, OperationError } from '../../infra/errors.ts'
import type { Logger } from '../../infra/telemetry.ts'
import type { ChainAAnswer, OwnersAnswered, SendersAnswered } from '../../schemas/chain-a/facts.ts'
import type { Hex } from '../../schemas/units.ts'
import type { Delay } from '../delay.ts'
import type { OwnerReader, SenderReader } from '../source.ts'
import type { Question } from './question.ts'

export type Answering = Readonly<{
  readSenders: SenderReader
  readOwners: OwnerReader
  /** Older questions are answered as a failure. */
  questionAgeMsMax: number
  nowMs: () => number
  logger: Logger
  delay: Delay
  signal: AbortSignal
}>

/** A node that does not know all of it yet is asked this often. */
const attemptsMax = 5
const attemptPauseMs = 2_000
/** What is older and refused, the node does not have any more: live questions need not wait for it. */
const youngMs = 60_000

/** The answer, or the failure in its place: never half of one. Does not fail. */
export async function answerTo(question: Question, answering: Answering): Promise<ChainAAnswer> {
  const { questionId, revision, pool } = question.asked
  const named = { questionId, revision, pool }
  switch (question.type) {
    case 'SendersAsked': {
      const { txHashes } = question.asked
      const { found: senders, failure } = await find(question, answering, () => sendersOf(txHashes, answering))
      return { type: 'SendersAnswered', data: { ...named, senders, failure, answeredAtMs: answering.nowMs() } }
    }
    case 'OwnersAsked': {
      const { found: owners, failure } = await find(question, answering, () => ownersOf(question, answering))
      return { type: 'OwnersAnswered', data: { ...named, owners, failure, answeredAtMs: answering.nowMs() } }
    }
  }
}

/** What was found, or why it is not all known yet. */
type Finding<Found> = Readonly<{ found: Found } | { missing: string }>
type Outcome<Found> = Readonly<{ found: Found; failure: null } | { found: null; failure: string }>

async function find<Found>(
  { asked }: Question,
  { questionAgeMsMax, nowMs, delay, signal, logger }: Answering,
  attempt: () => Promise<Finding<Found>>,
): Promise<Outcome<Found>> {
  if (nowMs() - asked.atMs > questionAgeMsMax) return failed('too old')
  let missing = ''
  try {
    for (let count = 0; count < attemptsMax && !signal.aborted; count++) {
      if (count > 0) await delay(attemptPauseMs, signal)
      const finding = await attempt()
      if ('found' in finding) return { found: finding.found, failure: null }
      missing = finding.missing
    }
  } catch (error) {
    missing = error instanceof OperationError ? error.message : 'the reader failed'
  }
  if (!signal.aborted) logger.warn({ questionId: asked.questionId, reason: missing }, 'a question was not answered')
  return failed(missing)
}

const failed = (failure: string) => ({ found: null, failure })

type Senders = NonNullable<SendersAnswered['senders']>
type Owners = NonNullable<OwnersAnswered['owners']>

async function sendersOf(txHashes: readonly Hex[], { readSenders, signal }: Answering): Promise<Finding<Senders>> {
  const found = await readSenders(txHashes, signal)
  const senders = txHashes.flatMap((txHash) => {
    const sender = found.get(txHash)
    return sender ? [{ txHash, sender }] : []
  })
  // Part of the buyers would pass for all of them.
  const missingCount = txHashes.length - senders.length
  if (missingCount === 0) return { found: senders }
  return { missing: `${missingCount} of ${txHashes.length} transactions are unknown to the node` }
}

async function ownersOf(
  { asked, seenAtMs }: Extract<Question, { type: 'OwnersAsked' }>,
  { readOwners, nowMs, signal }: Answering,
): Promise<Finding<Owners>> {
  try {
    const found = await readOwners(asked, signal)
    return { found: asked.positionIds.map((positionId) => ({ positionId, owner: found.get(positionId) ?? null })) }
  } catch (error) {
    const isYoung = nowMs() - Math.min(asked.atMs, seenAtMs) < youngMs
    if (isYoung && isOperationError(error, 'node_refused')) return { missing: error.message }
    throw error
  }
}
