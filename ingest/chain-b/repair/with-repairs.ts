import { runTogether } from '../../../infra/run-together.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { Block } from '../../../schemas/stage.ts'
import type { Delay } from '../../delay.ts'
import type { ReserveMemory } from '../follow/reserve-memory.ts'
import type { ChainBReader } from '../node/reader.ts'
import type { ReserveChain } from '../reserves/reserve-chain.ts'
import type { ChainBRange, ChainBSource, MintFact } from '../types.ts'
import { gapIdOf } from './gap.ts'
import { createGapBook, type GapBook } from './gap-book.ts'
import { withLateFacts } from './late-facts.ts'
import { createQuietCurves } from './quiet-curves.ts'
import { type CurveOf, createCurveOf, createEventReader } from './read-events.ts'
import { createRepairs, type RepairLimits } from './repairs.ts'
import { readRecentFacts, restoreChain } from './restore.ts'

export type RepairingOptions = Readonly<{
  node: Pick<ChainBReader, 'transactionsOf' | 'accounts'>
  /** The source has the same: where the curves stand behind its newest range. Filled from the log at the start and after a reorg. */
  reserves: Pick<ReserveMemory, 'chain' | 'beginAnew'>
  nowMs: () => number
  logger: Logger
  limits?: Partial<RepairLimits>
  delay?: Delay
}>

/**
 * The source with its gaps repaired: what is missing is read again beside it, and joins a later range as late facts. No
 * range waits for it. A gap is open from when it is in the log until its repair is; a restart and a reorg find the open
 * ones there.
 */
export const withRepairs = (source: ChainBSource, options: RepairingOptions): ChainBSource => ({
  kind: source.kind,
  async *ranges(cursor, known, signal) {
    const curveOf = createCurveOf(known.book)
    const restore = async (head: Block | null) =>
      startRepairing(head && { head, facts: await readRecentFacts(known, head) }, { ...options, curveOf }, signal)
    // A run before this one may have gone further than the log.
    options.reserves.beginAnew()
    let repairing = await restore(cursor)
    try {
      for await (const range of source.ranges(cursor, known, signal)) {
        repairing.throwIfFailed()
        if (range.revertedFrom === undefined) {
          const joined = repairing.join(range)
          yield joined
          repairing.note(joined)
        } else {
          yield range
          await repairing.stop()
          repairing = await restore(range.head)
        }
      }
    } finally {
      await repairing.stop()
    }
  },
})

type Start = Readonly<{ head: Block; facts: readonly MintFact[] }>

type Repairing = RepairingOptions & Readonly<{ curveOf: CurveOf }>

function startRepairing(start: Start | null, options: Repairing, signal: AbortSignal) {
  const { node, reserves, curveOf } = options
  const book = createGapBook()
  const quiet = createQuietCurves({ ...options, accounts: node.accounts, book })
  const repairs = createRepairs(book, { ...options, readEvents: createEventReader(node, curveOf) })
  const stop = new AbortController()
  const working = AbortSignal.any([signal, stop.signal])
  const note = ({ facts, head }: Pick<ChainBRange, 'facts' | 'head'>) => {
    moveChain(facts, book, reserves.chain())
    book.note(facts)
    quiet.note(facts, head)
    for (const gap of quiet.gaps()) book.openLast(gap)
    book.forget(head.atMs)
    repairs.update()
  }
  if (start) {
    restoreChain(start.facts, reserves.chain())
    note(start)
  }
  let failure: unknown = null
  const work = runTogether([quiet.run(working), repairs.run(working)], stop).catch((error: unknown) => {
    failure = error
  })
  return {
    note,
    join: (range: ChainBRange): ChainBRange => withLateFacts(range, repairs.dueIn(range.head.number)),
    throwIfFailed() {
      if (failure !== null) throw failure
    },
    async stop() {
      stop.abort()
      await work
    },
  }
}

/** The last trades of a curve that were missing are late facts now, so the next trade begins where they ended. */
function moveChain(facts: readonly MintFact[], book: GapBook, chain: ReserveChain): void {
  for (const { key, fact } of facts) {
    if (fact.type !== 'GapRepaired' || fact.data.gapTxHash !== null || !fact.data.isWhole) continue
    const gap = book.open.get(gapIdOf(key, null))
    const last = chain.lastOf(key)
    if (gap && last?.quoteRaw === gap.from.quoteRaw && last.tokenRaw === gap.from.tokenRaw)
      chain.begin(key, gap.to, gap.toSlot)
  }
}
