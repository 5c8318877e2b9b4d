/** A payment gate with a test facilitator in the same process. No sockets are opened. */
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import type { PaymentPayload } from '@x402/core/types'
import { createEvmNetwork } from '../../../api/payments/evm/network.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../../api/payments/ledger/ledger.ts'
import type { PaymentGate, PaymentOutcome } from '../../../api/payments/payment.ts'
import { createPaymentGate } from '../../../api/payments/payment-gate.ts'
import type {
  ChainFinding,
  PayloadRefusal,
  PaymentIdentity,
  ProbedPayment,
  Signer,
} from '../../../api/payments/payment-network.ts'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import type { PaymentChanged } from '../../../schemas/payments.ts'
import { topics } from '../../../schemas/topics.ts'
import { createTestClock, memoryLog, requestFor, sellerAddress } from '../../support/payments/paid-service.ts'

export const network = 'eip155:8453' as const
export const payer = `0x${'C5'.repeat(20)}`
export const transaction = `0x${'7e'.repeat(32)}`

type Verify = FacilitatorClient['verify']
type Settle = FacilitatorClient['settle']

export const valid: Verify = async () => ({ isValid: true, payer })
export const refuseAs =
  (invalidReason: string): Verify =>
  async () => ({ isValid: false, invalidReason })
export const settled: Settle = async () => ({ success: true, transaction, network })
export const settleRefused: Settle = async () => ({
  ...{ success: false, transaction: '', network },
  errorReason: 'insufficient_funds',
})
export const lost = async () => {
  throw new TypeError('fetch failed')
}

export const refusedAs = (reason: string) =>
  `The payment was refused: ${reason}. Nothing was charged. Fix this cause, then sign a new payment`
/**
 * Returns the text that refuses a payment older than the oldest payment in the ledger. An earlier request may
 * have charged this payment.
 */
export const forgottenAs = (reason: string) =>
  `The payment was refused: ${reason}. This request was not charged. An earlier request with the same payment may have been charged, and its answer is no longer stored. Look for the transfer on the chain before you sign a new payment`
export const unprovenAs = (reason: string) =>
  new RegExp(`^The facilitator refused the payment: ${reason}.*same PAYMENT-SIGNATURE`)

/** The outcome in short. */
export function said(outcome: PaymentOutcome): string {
  switch (outcome.kind) {
    case 'unavailable':
      return `${outcome.reason} ${outcome.retryAfterSec}`
    case 'paymentRequired':
      return outcome.body.error
    default:
      return outcome.kind
  }
}

/** A line of the log. `said` has the logged fields, and `text` is the message. */
type Logged = { level: string; said: object; text: string | undefined }

/** Makes a new test setup for each test of a `describe`. */
export function purchaseWorld() {
  const world = {
    clock: createTestClock(),
    log: memoryLog(createTestClock()),
    gate: undefined as unknown as PaymentGate,
    ledger: undefined as unknown as PaymentLedger,
    facilitator: { verify: valid, settle: settled, isUp: true },
    chain: { finding: { kind: 'unpaid' } as ChainFinding | 'away', probes: 0, probed: null as ProbedPayment | null },
    /** Returns the time at which a payment was first seen, for payments that do not contain a time. */
    seenAtMs: (): number | null => null,
    signer: 'payer' as Signer,
    /** Runs during each check of a signature. */
    whileChecking: async (): Promise<void> => {},
    /** The calls to the facilitator and the recorded states of payments, in order. */
    calls: [] as string[],
    logged: [] as Logged[],
    /** The errors that the ledger throws, by the state that is recorded. */
    failures: new Map<string, Error>(),
  }
  let nonces = 0

  const openLedger = async (): Promise<PaymentLedger> => {
    const codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
    const opened = await openPaymentLedger({ log: world.log, codec, nowMs: world.clock.nowMs })
    const recording = (record: PaymentLedger['record']) => async (change: PaymentChanged) => {
      const failure = world.failures.get(change.state)
      if (failure) throw failure
      await record(change)
      world.calls.push(change.state)
    }
    return {
      ...opened,
      record: recording(opened.record),
      applyAndRecord: async (change) => {
        const failure = world.failures.get(change.state)
        if (failure) throw failure
        world.calls.push(change.state)
        await opened.applyAndRecord(change)
      },
      recordWithNext: recording(opened.recordWithNext),
    }
  }
  const note =
    (level: string) =>
    (...[said, text]: [unknown, string?]) =>
      void world.logged.push(
        typeof said === 'string' ? { level, said: {}, text: said } : { level, said: said as object, text },
      )
  /**
   * Opens a new gate on the same log, as after a restart, when the records of the earlier gate are written. The earlier
   * gate can then no longer write to the log.
   */
  const open = async (options: Partial<Parameters<typeof createPaymentGate>[0]> = {}) => {
    await world.ledger?.flush()
    world.ledger = await openLedger()
    const evm = createEvmNetwork({ network, payTo: sellerAddress, rpcUrl: 'http://127.0.0.1:1', isLocal: true })
    world.gate = await createPaymentGate({
      facilitators: [facilitatorOf(world)],
      networks: [
        {
          ...evm,
          signerOf: async () => {
            await world.whileChecking()
            return world.signer
          },
          identify: (payload) => seen(evm.identify(payload), world.seenAtMs()),
          probe: async (payment) => probe(world.chain, payment),
        },
      ],
      ledger: world.ledger,
      publicBaseUrl: 'https://data.example',
      nowMs: world.clock.nowMs,
      sleep: world.clock.sleep,
      logger: { info: note('info'), warn: note('warn'), error: note('error') },
      ...options,
    })
  }

  beforeEach(async () => {
    world.clock = createTestClock()
    world.log = memoryLog(world.clock)
    world.facilitator = { verify: valid, settle: settled, isUp: true }
    world.chain = { finding: { kind: 'unpaid' }, probes: 0, probed: null }
    world.seenAtMs = () => null
    world.signer = 'payer'
    world.whileChecking = async () => {}
    world.calls = []
    world.logged = []
    world.failures = new Map()
    nonces = 0
    await open()
  })
  afterEach(() => world.gate.close())

  return Object.assign(world, {
    open,
    goDown: async () => {
      world.facilitator.isUp = false
      await world.gate.refresh()
    },
    /** Makes a well-formed payment. The field `signer` of this test setup decides who signed the payment. */
    pay: (changes: Readonly<Record<string, string>> = {}, accepted: object = {}) =>
      toPayment({ nowMs: world.clock.nowMs(), nonce: ++nonces, changes, accepted }),
    /** Makes a payment with another signature or with extensions. */
    payWith: (
      { signature, extensions }: Readonly<{ signature?: string; extensions?: Record<string, unknown> }>,
      changes = {},
    ) => toPayment({ nowMs: world.clock.nowMs(), nonce: ++nonces, changes, accepted: {}, signature, extensions }),
    run: async (...request: Parameters<typeof requestFor>) => said(await world.gate.run(requestFor(...request))),
  })
}

type Asked = Readonly<{
  calls: string[]
  facilitator: Readonly<{ verify: Verify; settle: Settle; isUp: boolean }>
}>

const facilitatorOf = (world: Asked): FacilitatorClient => ({
  verify: (...payment) => {
    world.calls.push('verify')
    return world.facilitator.verify(...payment)
  },
  settle: (...payment) => {
    world.calls.push('settle')
    return world.facilitator.settle(...payment)
  },
  getSupported: async () => {
    if (!world.facilitator.isUp) throw new TypeError('fetch failed')
    return { kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }
  },
})

type Chain = { finding: ChainFinding | 'away'; probes: number; probed: ProbedPayment | null }

function probe(chain: Chain, payment: ProbedPayment): ChainFinding {
  chain.probes += 1
  chain.probed = payment
  if (chain.finding === 'away') throw new TypeError('the node is away')
  return chain.finding
}

const seen = (identity: PaymentIdentity | PayloadRefusal, seenAtMs: number | null) =>
  seenAtMs === null || 'refusal' in identity ? identity : { ...identity, validBeforeMs: seenAtMs + 600_000 }

type Made = Readonly<{
  nowMs: number
  nonce: number
  changes: Readonly<Record<string, string>>
  accepted: object
  signature?: string | undefined
  extensions?: Record<string, unknown> | undefined
}>

function toPayment({ nowMs, nonce, changes, accepted, signature, extensions }: Made): Readonly<{ header: string }> {
  const nowSec = Math.floor(nowMs / 1000)
  const payload: PaymentPayload = {
    x402Version: 2,
    resource: { url: 'https://data.example/v1/rh/bursts/live' },
    accepted: {
      ...{ scheme: 'exact', network, amount: '10000', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
      ...{ payTo: sellerAddress, maxTimeoutSeconds: 120, extra: { name: 'USD Coin', version: '2' } },
      ...accepted,
    },
    payload: {
      signature: signature ?? `0x${String(nonce).padStart(64, '0')}${'01'.repeat(32)}1b`,
      authorization: {
        ...{ from: payer, to: sellerAddress, value: '10000', validAfter: String(nowSec - 60) },
        ...{ validBefore: String(nowSec + 120), nonce: `0x${String(nonce).padStart(64, '0')}` },
        ...changes,
      },
    },
    ...(extensions ? { extensions } : {}),
  }
  return { header: encodePaymentSignatureHeader(payload) }
}
