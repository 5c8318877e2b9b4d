import { hash } from 'node:crypto'
import type { FacilitatorClient } from '@x402/core/server'
import {
  FacilitatorResponseError,
  FacilitatorTimeoutError,
  type PaymentPayload,
  type PaymentRequirements,
  SettleError,
  VerifyError,
} from '@x402/core/types'
import { z } from 'zod'
import { boundedFetch } from '../../../infra/bounded-fetch.ts'
import type { Config, HeaderField } from '../../../infra/config.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import type { DurationMs, EpochMs } from '../../../schemas/units.ts'
import { createSupportedStore, rememberSupported } from './supported-store.ts'

export type FacilitatorAddress = Readonly<{
  url: string
  /** The credentials, sent with every request. Null for a facilitator without credentials, such as one that the operator runs. */
  auth: HeaderField | null
  /** Whether the facilitator runs in this process and stops with it. */
  isLocal: boolean
}>

/** Returns the configured facilitators in their order of preference. */
export const facilitatorsOf = ({
  X402_FACILITATOR_URL: urls = [],
  X402_FACILITATOR_AUTH: auth = [],
}: Config): readonly FacilitatorAddress[] =>
  urls.map((url, index) => ({ url, auth: auth[index] ?? null, isLocal: false }))

type Opening = Readonly<{ dataDir: string; nowMs: () => EpochMs; logger: Pick<Logger, 'warn'> }>

/** Opens a facilitator. The last valid answer of `getSupported` is stored on disk. */
export function openFacilitator(address: FacilitatorAddress, { dataDir, nowMs, logger }: Opening): FacilitatorClient {
  const client = createHttpFacilitator(address)
  if (address.isLocal) return client
  // The file name is a hash of the URL, because the URL may contain a secret key.
  const store = createSupportedStore(dataDir, hash('sha256', address.url, 'hex'), nowMs)
  return rememberSupported(client, store, { nowMs, logger })
}

/**
 * Creates the client of a facilitator. The timeouts are long, because a facilitator or this process may be slow for a
 * while. A timeout that is too short refuses payments that would succeed.
 */
export function createHttpFacilitator(
  options: Readonly<{
    url: string
    auth?: HeaderField | null
    verifyTimeoutMs?: DurationMs
    settleTimeoutMs?: DurationMs
    supportedTimeoutMs?: DurationMs
  }>,
): FacilitatorClient {
  const { verifyTimeoutMs = 20_000, settleTimeoutMs = 20_000, supportedTimeoutMs = 30_000 } = options
  const ask = createAsk(options)
  return {
    verify: async (payload, requirements) => {
      const { status, isOk, data } = await ask('verify', {
        ...{ limitMs: verifyTimeoutMs, bytesMax: answerBytesMax },
        body: bodyOf(payload, requirements),
      })
      const answer = answerIn(data, verifySchema, { operation: 'verify', status })
      if (isOk) return answer
      throw new VerifyError(status, answer)
    },
    settle: async (payload, requirements) => {
      const { status, isOk, data } = await ask('settle', {
        ...{ limitMs: settleTimeoutMs, bytesMax: answerBytesMax },
        body: bodyOf(payload, requirements),
      })
      const { network } = requirements
      const answer = { ...answerIn(data, settleSchema, { operation: 'settle', status }), network }
      if (isOk) return answer
      throw new SettleError(status, answer)
    },
    getSupported: async () => {
      const { status, isOk, data } = await ask('supported', {
        ...{ limitMs: supportedTimeoutMs, bytesMax: supportedBytesMax },
      })
      if (!isOk) throw failed('supported', status)
      return answerIn(data, supportedSchema, { operation: 'supported', status })
    },
  }
}

type Operation = 'verify' | 'settle' | 'supported'
type Question = Readonly<{ limitMs: DurationMs; bytesMax: number; body?: string }>
/** `data` is undefined if the answer is not JSON. */
type Answer = Readonly<{ status: number; isOk: boolean; data: unknown }>

/**
 * The maximum lengths of answers in bytes. An answer about one payment is short. An answer of `getSupported`
 * may list many networks.
 */
const answerBytesMax = 65_536
const supportedBytesMax = 1_048_576

/**
 * Creates the function that calls the facilitator. It replaces x402's own client, which follows redirects and reads answers of any length.
 * Errors of the function do not contain the answer, because the answer may repeat the payment.
 */
function createAsk({ url, auth = null }: Readonly<{ url: string; auth?: HeaderField | null }>) {
  const base = url.replace(/\/+$/, '')
  const headers = { 'content-type': 'application/json', ...(auth && { [auth.name]: auth.value }) }
  return async (operation: Operation, { limitMs, bytesMax, body }: Question): Promise<Answer> => {
    const signal = AbortSignal.timeout(limitMs)
    try {
      const response = await boundedFetch(bytesMax)(`${base}/${operation}`, {
        ...{ headers, signal },
        ...(body === undefined ? {} : { method: 'POST', body }),
      })
      return { status: response.status, isOk: response.ok, data: jsonIn(await response.text()) }
    } catch (error) {
      throw signal.aborted ? new FacilitatorTimeoutError(operation, limitMs) : error
    }
  }
}

/** Parses JSON and removes null fields. Returns undefined if the text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value) => value ?? undefined)
  } catch {
    return undefined
  }
}

const bodyOf = (payload: PaymentPayload, requirements: PaymentRequirements): string =>
  JSON.stringify({ x402Version: payload.x402Version, paymentPayload: payload, paymentRequirements: requirements })

const text = z.string().exactOptional()

const verifySchema = z.object({ isValid: z.boolean(), invalidReason: text, payer: text })

const settleSchema = z.object({
  ...{ success: z.boolean(), errorReason: text, payer: text },
  transaction: z.string().default(''),
})

const supportedSchema = z.object({
  kinds: z.array(
    z.object({
      ...{ x402Version: z.number(), scheme: z.string() },
      // Any text is accepted, because the networks of x402 version 1 have names of another form.
      network: z.custom<PaymentRequirements['network']>((name) => typeof name === 'string'),
      extra: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  ),
  extensions: z.array(z.string()).default([]),
  signers: z.record(z.string(), z.array(z.string())).default({}),
})

/** Parses an answer. If it does not have x402's form, throws an error that contains no text of the answer. */
function answerIn<Answer>(
  data: unknown,
  schema: z.ZodType<Answer>,
  { operation, status }: Readonly<{ operation: Operation; status: number }>,
): Answer {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  throw status >= 200 && status < 300
    ? new FacilitatorResponseError(`Facilitator ${operation} returned invalid data`)
    : failed(operation, status)
}

const failed = (operation: Operation, status: number): Error =>
  new FacilitatorResponseError(`Facilitator ${operation} failed (${status})`)
