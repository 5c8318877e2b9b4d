/** A payment gate on a memory log, in front of a facilitator double, with a buyer who signs like the official client. */

import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { type Hex, numberToHex, parseSignature, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createEvmNetwork } from '../../api/payments/evm-network.ts'
import { createHttpFacilitator } from '../../api/payments/facilitator-link.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../api/payments/ledger.ts'
import type { PaidRequest, PaidResource, PaymentGate } from '../../api/payments/payment.ts'
import { createPaymentGate } from '../../api/payments/payment-gate.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../infra/codec/schema-codec.ts'
import type { Log } from '../../infra/log/log.ts'
import { createMemoryLog } from '../../infra/log/memory/memory-log.ts'
import { topics } from '../../schemas/topics.ts'
import type { FacilitatorDouble } from './facilitator-double.ts'

export const sellerAddress = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const buyerKey = `0x${'11'.repeat(32)}` as const

export const bursts: PaidResource = {
  routeId: 'GET /v1/rh/bursts/live',
  requestId: 'GET /v1/rh/bursts/live?[["minutes",60]]',
  priceUsdMicros: 10_000,
  description: 'Buyer bursts',
  resourcePath: '/v1/rh/bursts/live',
}

/** Time that passes only when told to, or while somebody sleeps. */
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
}>

const silent = () => {}

export async function openPaidService(
  double: Pick<FacilitatorDouble, 'url' | 'probe'>,
  world: Readonly<{
    log: Log
    clock: ReturnType<typeof createTestClock>
    reconcileMs?: number
    answerBytesMax?: number
    /** How long the facilitator is waited for: by default longer than any that answers takes. */
    timeoutMs?: number
  }>,
): Promise<PaidService> {
  const { log, clock, timeoutMs = 10_000 } = world
  const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
  const recorded: string[] = []
  const opened = await openPaymentLedger({ log, codec, nowMs: clock.nowMs })
  const ledger: PaymentLedger = {
    ...opened,
    record: async (change) => {
      await opened.record(change)
      recorded.push(change.state)
    },
    recordWithNext: async (change) => {
      await opened.recordWithNext(change)
      recorded.push(change.state)
    },
  }
  const lost = { count: 0 }
  const network = createEvmNetwork({ network: 'eip155:8453', payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1' })
  const gate = await createPaymentGate({
    facilitators: [createHttpFacilitator({ url: double.url, verifyTimeoutMs: timeoutMs, settleTimeoutMs: timeoutMs })],
    networks: [{ ...network, probe: double.probe }],
    ledger,
    publicBaseUrl: 'https://data.example',
    nowMs: clock.nowMs,
    sleep: clock.sleep,
    logger: { info: silent, warn: silent, error: silent },
    reconcileMs: world.reconcileMs ?? 1_000,
    ...(world.answerBytesMax === undefined ? {} : { answerBytesMax: world.answerBytesMax }),
    onLedgerLost: () => {
      lost.count += 1
    },
  })
  return { gate, ledger, lost, recorded }
}

export const memoryLog = (clock: ReturnType<typeof createTestClock>): Log => createMemoryLog({ nowMs: clock.nowMs })

const buyer = privateKeyToAccount(buyerKey)
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(buyer))

export async function sign(required: PaymentRequired): Promise<PaymentPayload> {
  return client.createPaymentPayload({ ...required, accepts: [...required.accepts] })
}

export const toHeader = (payload: PaymentPayload) => ({ header: encodePaymentSignatureHeader(payload) })

/**
 * What somebody can send who saw a payment's authorization: other bytes for its signature, the same amount of money under
 * the twin of its signature (which some verifiers take), its signature under another validity.
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

/** Asks for the 402 and signs what it asks. */
export async function signFor(gate: PaymentGate, resource: PaidResource = bursts): Promise<PaymentPayload> {
  const answer = await gate.requirePayment(resource)
  if (answer.kind !== 'paymentRequired') throw new TypeError(`no 402 but ${answer.kind}`)
  return sign(answer.body)
}

/** A request for the bursts whose handler counts its runs; each run gives other bytes. */
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
