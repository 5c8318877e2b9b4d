/**
 * Creates a payment gate on a log in memory, with a simulated facilitator. The buyer signs with the official
 * client.
 */

import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { type Hex, numberToHex, parseSignature, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { createHttpFacilitator } from '../../../api/payments/facilitator/http-facilitator.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaidRequest, PaidResource, PaymentGate } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import { serviceName } from '../../../api/sale/discovery.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { Log } from '../../../infra/log/log.ts'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { topics } from '../../../schemas/topics.ts'
import type { FacilitatorDouble, Fault } from './facilitator-double.ts'

export const sellerAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const buyerKey = `0x${'11'.repeat(32)}` as const

export const bursts: PaidResource = {
  routeId: 'GET /v1/rh/bursts/live',
  requestId: 'GET /v1/rh/bursts/live?[["minutes",60]]',
  priceUsdMicros: 10_000,
  description: 'Buyer bursts',
  resourcePath: '/v1/rh/bursts/live',
}

/** Creates a clock that moves only in `advance` and `sleep`. */
export function createTestClock() {
  const clock = { atMs: Date.now() }
  return {
    nowMs: () => clock.atMs,
    advance: (durationMs: number) => {
      clock.atMs += durationMs
    },
    sleep: async (durationMs: number) => {
      clock.atMs += durationMs
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

export type PaidService = Readonly<{
  gate: PaymentGate
  ledger: PaymentLedger
  lost: { count: number }
  recorded: string[]
  /** Resolves when all settlements and `getSupported` calls have ended. */
  settle: () => Promise<void>
}>

const silent = () => {}

export async function openPaidService(
  double: Pick<FacilitatorDouble, 'url' | 'probe'> & Partial<FacilitatorFaults>,
  world: Readonly<{
    log: Log
    clock: ReturnType<typeof createTestClock>
    reconcileMs?: number
    answerBytesMax?: number
  }>,
): Promise<PaidService> {
  const { log, clock } = world
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
  const recorded: string[] = []
  const opened = await openPaymentLedger({ log, codec, nowMs: clock.nowMs })
  const ledger: PaymentLedger = {
    ...opened,
    record: async (change) => {
      await opened.record(change)
      recorded.push(change.state)
    },
    applyAndRecord: (change) => {
      recorded.push(change.state)
      return opened.applyAndRecord(change)
    },
    recordWithNext: async (change) => {
      await opened.recordWithNext(change)
      recorded.push(change.state)
    },
  }
  const lost = { count: 0 }
  const network = createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1' })
  const { facilitator, settle } = facilitatorOf(double)
  const gate = await createPaymentGate({
    facilitators: [facilitator],
    networks: [{ ...network, probe: double.probe }],
    ledger,
    publicBaseUrl: 'https://data.example',
    service: serviceName,
    nowMs: clock.nowMs,
    // The clock moves only after all open calls have ended, so the speed of the machine does not matter.
    sleep: async (durationMs) => {
      await settle()
      await clock.sleep(durationMs)
    },
    logger: { info: silent, warn: silent, error: silent },
    reconcileMs: world.reconcileMs ?? 1_000,
    ...(world.answerBytesMax === undefined ? {} : { answerBytesMax: world.answerBytesMax }),
    onLedgerLost: () => {
      lost.count += 1
    },
  })
  return { gate, ledger, lost, recorded, settle }
}

type FacilitatorFaults = Pick<FacilitatorDouble, 'verifyFaults' | 'settleFaults'>

/**
 * Creates the facilitator's client. A call that gets no answer (`hang…`) has a short timeout. All other calls
 * get their answers even on a slow machine.
 */
function facilitatorOf({ url, verifyFaults, settleFaults }: Readonly<{ url: string }> & Partial<FacilitatorFaults>) {
  const hasty = createHttpFacilitator({ url, verifyTimeoutMs: 100, settleTimeoutMs: 400 })
  const patient = createHttpFacilitator({ url, verifyTimeoutMs: 60_000, settleTimeoutMs: 60_000 })
  const clientFor = (faults: readonly Fault[] | undefined) => (faults?.[0]?.startsWith('hang') ? hasty : patient)
  const underWay = new Set<Promise<unknown>>()
  const tracked = <Answer>(call: Promise<Answer>): Promise<Answer> => {
    const ended = call.finally(() => underWay.delete(ended))
    underWay.add(ended)
    return ended
  }
  const facilitator: FacilitatorClient = {
    verify: (payload, requirements) => clientFor(verifyFaults).verify(payload, requirements),
    settle: (payload, requirements) => tracked(clientFor(settleFaults).settle(payload, requirements)),
    getSupported: () => tracked(patient.getSupported()),
  }
  const settle = async () => {
    do {
      await Promise.allSettled(underWay)
      // Lets the callers continue, because a caller may repeat a failed call.
      await new Promise((resolve) => setImmediate(resolve))
    } while (underWay.size > 0)
  }
  return { facilitator, settle }
}

export const memoryLog = (clock: ReturnType<typeof createTestClock>): Log => createMemoryLog({ nowMs: clock.nowMs })

const buyer = privateKeyToAccount(buyerKey)
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(buyer))

export async function sign(required: PaymentRequired): Promise<PaymentPayload> {
  return client.createPaymentPayload({ ...required, accepts: [...required.accepts] })
}

export const toHeader = (payload: PaymentPayload) => ({ header: encodePaymentSignatureHeader(payload) })

/**
 * Returns payments of a stranger who has seen the buyer's payment. The first has a false signature. The
 * second has the same signature with the other s, which some verifiers accept. The third has another end of
 * its validity, so the signature does not fit.
 */
export function strangersOf(signed: PaymentPayload): PaymentPayload[] {
  const { signature, authorization } = signed.payload as { signature: Hex; authorization: { validBefore: string } }
  const { r, s, v = 27n } = parseSignature(signature)
  const twin = { r, s: numberToHex(secp256k1Order - BigInt(s), { size: 32 }), v: v === 27n ? 28n : 27n }
  const validBefore = String(Number(authorization.validBefore) - 1)
  const changes = [
    { signature: `0x${'12'.repeat(64)}1b` },
    { signature: serializeSignature(twin) },
    { authorization: { ...authorization, validBefore } },
  ]
  return changes.map((change) => ({ ...signed, payload: { ...signed.payload, ...change } }))
}

const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Gets the 402 and signs its payment. */
export async function signFor(gate: PaymentGate, resource: PaidResource = bursts): Promise<PaymentPayload> {
  const answer = await gate.requirePayment(resource)
  if (answer.kind !== 'paymentRequired') throw new TypeError(`no 402 but ${answer.kind}`)
  return sign(answer.body)
}

/** Builds a request for bursts. The handler counts how often it runs, and each run returns different bytes. */
export function requestFor(
  payment: PaidRequest['payment'],
  overrides: Partial<PaidRequest> = {},
): PaidRequest & Readonly<{ runs: { count: number } }> {
  const runs = { count: 0 }
  return {
    ...bursts,
    payment,
    clientAddress: '198.51.100.7',
    isClientGone: () => false,
    buildBody: async () => ({ bytes: Buffer.from(`{"run":${++runs.count}}`), cutAtMs: 1_000 + runs.count }),
    ...overrides,
    runs,
  }
}
