/**
 * A faulty facilitator. It is slow, drops connections, answers nonsense, refuses a payment and still sends
 * it, sends without an answer, or sends twice. Its failures look like those of x402's HTTP client.
 */
import type { FacilitatorClient } from '@x402/core/server'
import {
  FacilitatorResponseError,
  FacilitatorTimeoutError,
  type PaymentPayload,
  type SettleResponse,
  type VerifyResponse,
} from '@x402/core/types'
import type { Random } from '../../../ingest/simulated/random.ts'
import type { ChainDouble } from './chain-double.ts'
import type { Time } from './virtual-time.ts'

export type FaultyFacilitator = FacilitatorClient &
  Readonly<{
    /** The faults of the facilitator at the moment. `faultRatio` is the share of calls that fail. */
    weather: { faultRatio: number; isDown: boolean }
    /** The payment and the time of each settlement request. */
    settles: readonly Readonly<{ payment: string; atMs: number }>[]
  }>

type World = Readonly<{ time: Time; random: Random; chains: readonly ChainDouble[] }>

const verifyMs = 20_000
const settleMs = 20_000

export function createFaultyFacilitator({ time, random, chains }: World): FaultyFacilitator {
  const weather = { faultRatio: 0, isDown: false }
  const settles: { payment: string; atMs: number }[] = []
  const sentBefore = new Map<string, string>()
  const chainOf = ({ accepted }: PaymentPayload): ChainDouble => {
    const chain = chains.find(({ kind }) => kind.network === accepted.network)
    if (!chain) throw new TypeError(`no chain ${accepted.network}`)
    return chain
  }
  const reach = () => {
    if (weather.isDown) throw new TypeError('fetch failed')
  }
  const spoil = async (operation: 'verify' | 'settle', way: Spoiling): Promise<never> => {
    const limitMs = operation === 'verify' ? verifyMs : settleMs
    switch (way) {
      case 'drop':
        throw new TypeError('fetch failed')
      case 'hang':
        await time.sleep(limitMs)
        throw new FacilitatorTimeoutError(operation, limitMs)
      case 'garbage':
        throw new FacilitatorResponseError(`Facilitator ${operation} returned invalid JSON: <html>`)
      case 'status500':
        throw new TypeError(`Facilitator ${operation} failed (500): internal`)
      case 'status503':
        throw new TypeError(`Facilitator ${operation} failed (503): no backend`)
      default:
        return way satisfies never
    }
  }

  const verify = async (payload: PaymentPayload): Promise<VerifyResponse> => {
    await time.sleep(random.whole(5, 300))
    reach()
    // A call that fails here settles nothing.
    if (random.chance(weather.faultRatio / 3)) {
      const way = random.pick<Spoiling | 'refuse' | 'unexpected'>([...spoilings, 'refuse', 'unexpected'])
      if (way === 'refuse') return { isValid: false, invalidReason: 'insufficient_funds' }
      if (way === 'unexpected') return { isValid: false, invalidReason: 'unexpected_verify_error' }
      return spoil('verify', way)
    }
    const refusal = await chainOf(payload).refusalOf(payload, time.nowMs())
    return refusal === null ? { isValid: true } : { isValid: false, invalidReason: refusal }
  }

  const settleTruly = async (payload: PaymentPayload, handedAtMs: number): Promise<SettleResponse> => {
    const { network } = payload.accepted
    const chain = chainOf(payload)
    const failed = (errorReason: string, transaction = '') => ({ success: false, errorReason, transaction, network })
    const refusal = await chain.refusalOf(payload, time.nowMs())
    const before = sentBefore.get(chain.identityOf(payload))
    // Some facilitators remember earlier settlements and confirm them again.
    if (refusal !== null && before !== undefined && random.chance(0.3))
      return { success: true, transaction: before, network }
    if (refusal !== null) return failed(refusal)
    const { transaction, moved } = send(payload, handedAtMs, random.whole(0, 4_000))
    const known = await Promise.race([moved, time.sleep(random.whole(1_000, settleMs)).then(() => 'late' as const)])
    if (known === 'late') return failed('settlement_pending', transaction)
    return known === null
      ? failed('invalid_transaction_state', transaction)
      : { success: true, transaction: known, network }
  }
  const send = (payload: PaymentPayload, handedAtMs: number, afterMs: number) => {
    const chain = chainOf(payload)
    const sent = chain.broadcast(payload, { handedAtMs, afterMs })
    void sent.moved.then((moved) => moved !== null && sentBefore.set(chain.identityOf(payload), moved))
    return sent
  }

  /**
   * Settles with a fault. Sends the transaction or not, soon or late, one time or twice. The answer does not
   * depend on what was sent.
   */
  const settleBadly = async (payload: PaymentPayload, handedAtMs: number): Promise<SettleResponse> => {
    const { network } = payload.accepted
    const isPossible = (await chainOf(payload).refusalOf(payload, time.nowMs())) === null
    const late = [random.whole(3_000, 100_000)]
    const delays = random.pick([[], [random.whole(0, 3_000)], late, late, [0, 2_500]])
    const [sent] = isPossible ? delays.map((afterMs) => send(payload, handedAtMs, afterMs)) : []
    if (random.chance(0.5)) await time.sleep(random.whole(0, 15_000))
    const way = random.pick<SettleFault>([...spoilings, ...ownFaults])
    switch (way) {
      case 'refuse':
        return { success: false, errorReason: 'insufficient_funds', transaction: '', network }
      case 'pending':
        return { success: false, errorReason: 'settlement_pending', transaction: sent?.transaction ?? '', network }
      case 'unexpected':
        return { success: false, errorReason: 'unexpected_settle_error', transaction: '', network }
      case 'successInNoWords':
        return { success: true, transaction: '', network }
      default:
        return spoil('settle', way)
    }
  }

  return {
    weather,
    settles,
    verify,
    settle: async (payload) => {
      const handedAtMs = time.nowMs()
      settles.push({ payment: chainOf(payload).identityOf(payload), atMs: handedAtMs })
      await time.sleep(random.whole(5, 300))
      reach()
      return random.chance(weather.faultRatio) ? settleBadly(payload, handedAtMs) : settleTruly(payload, handedAtMs)
    },
    getSupported: async () => {
      await time.sleep(random.whole(5, 100))
      reach()
      if (random.chance(weather.faultRatio / 4)) throw new TypeError('fetch failed')
      return { kinds: chains.map(({ kind }) => kind), extensions: [], signers: {} }
    },
  }
}

const spoilings = ['drop', 'hang', 'garbage', 'status500', 'status503'] as const
type Spoiling = (typeof spoilings)[number]
const ownFaults = ['refuse', 'refuse', 'refuse', 'pending', 'pending', 'unexpected', 'successInNoWords'] as const
type SettleFault = Spoiling | (typeof ownFaults)[number]
