/**
 * Draws the steps of a run with a few payments from a seed. So a run can be repeated, and steps can be
 * removed from it.
 */
import { createRandom, type Random } from '../../../ingest/simulated/random.ts'

type Spelling = 'same' | 'respelled'

export type Step = Readonly<{ afterMs: number }> &
  (
    | Readonly<{
        do: 'send'
        payment: number
        spelling: Spelling
        /** The time until the client hangs up. Null: the client stays. */
        leavesAfterMs: number | null
        /** Whether the service learns that the answer reached the client. */
        isDelivered: boolean
        /** True if the payment is sent to the replaced process, while that process still runs. */
        isToOld: boolean
      }>
    | Readonly<{ do: 'sendElsewhere'; payment: number }>
    | Readonly<{ do: 'sendForged'; payment: number; forgery: number }>
    | Readonly<{ do: 'kill' | 'takeOver' | 'closeAndStart' | 'reconcile' }>
    | Readonly<{ do: 'facilitatorDown' | 'tablesDown'; forMs: number }>
    | Readonly<{ do: 'nodeDown'; forMs: number }>
    | Readonly<{ do: 'nodeBehind'; byMs: number; forMs: number }>
  )

export type Plan = Readonly<{
  seed: number
  /** The validity of each payment. */
  validSecs: readonly number[]
  facilitatorAheadMs: number
  faultRatio: number
  logFaultRatio: number
  answerBytesMax: number
  steps: readonly Step[]
  /** True if the facilitator stays down after the steps. Everything else works again then. */
  isFacilitatorDownAfterwards: boolean
}>

export function planOf(seed: number): Plan {
  const random = createRandom(seed, 12)
  const paymentCount = random.whole(1, 3)
  const steps = Array.from({ length: random.whole(3, 16) }, () => stepOf(random, paymentCount))
  return {
    seed,
    validSecs: Array.from({ length: paymentCount }, () => random.pick([120, 120, 120, 60, 15, 3, 600])),
    facilitatorAheadMs: random.pick([0, 0, 2_000, 5_000]),
    faultRatio: random.pick([0, 0.3, 0.6, 0.9]),
    logFaultRatio: random.pick([0, 0, 0, 0.2]),
    answerBytesMax: random.pick([0, 1_000_000]),
    // Each payment is sent at least one time.
    steps: [...Array.from({ length: paymentCount }, (_, payment) => sendOf(random, payment)), ...steps],
    isFacilitatorDownAfterwards: random.chance(0.3),
  }
}

/** Most pauses are short, so that steps overlap. Few are long. */
function pauseOf(random: Random): number {
  const share = random.unit()
  if (share < 0.4) return random.whole(0, 60)
  return share < 0.8 ? random.whole(60, 3_000) : random.whole(3_000, 60_000)
}

function sendOf(random: Random, payment: number): Step {
  return {
    ...{ afterMs: pauseOf(random), do: 'send', payment },
    spelling: random.pick(['same', 'respelled']),
    leavesAfterMs: random.chance(0.25) ? random.whole(0, 2_000) : null,
    isDelivered: random.chance(0.7),
    isToOld: random.chance(0.2),
  }
}

function stepOf(random: Random, paymentCount: number): Step {
  const payment = random.whole(0, paymentCount - 1)
  const afterMs = pauseOf(random)
  const share = random.unit()
  if (share < 0.5) return sendOf(random, payment)
  if (share < 0.57) return { afterMs, do: 'sendElsewhere', payment }
  if (share < 0.62) return { afterMs, do: 'sendForged', payment, forgery: random.whole(0, 9) }
  if (share < 0.8)
    return { afterMs, do: random.pick(['kill', 'kill', 'kill', 'takeOver', 'closeAndStart', 'reconcile']) }
  const forMs = random.whole(100, 30_000)
  if (share < 0.9) return { afterMs, do: random.pick(['facilitatorDown', 'tablesDown']), forMs }
  if (share < 0.95) return { afterMs, do: 'nodeDown', forMs: random.pick([forMs, forMs, 400_000]) }
  return { afterMs, do: 'nodeBehind', byMs: random.whole(2_000, 20_000), forMs }
}
