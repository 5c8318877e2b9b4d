/** A facilitator over HTTP. */
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
import { createSupportedStore, rememberSupported } from './supported-store.ts'

export type FacilitatorAddress = Readonly<{
  url: string
  /** What lets us in, sent with every request. None: a facilitator of one's own. */
  auth: HeaderField | null
  /** Whether the facilitator runs in this process, and starts and ends with it. */
  isLocal: boolean
}>

/** The configured ones, in the order in which they are asked. */
export const facilitatorsOf = ({
  X402_FACILITATOR_URL: urls = [],
  X402_FACILITATOR_AUTH: auth = [],
}: Config): readonly FacilitatorAddress[] =>
  urls.map((url, index) => ({ url, auth: auth[index] ?? null, isLocal: false }))

type Opening = Readonly<{ dataDir: string; nowMs: () => number; logger: Pick<Logger, 'warn'> }>

/** A facilitator whose last good answer to what it supports is kept. */
export function openFacilitator(address: FacilitatorAddress, { dataDir, nowMs, logger }: Opening): FacilitatorClient {
  const client = createHttpFacilitator(address)
  if (address.isLocal) return client
  // Not by the address, which may hold a key.
  const store = createSupportedStore(dataDir, hash('sha256', address.url, 'hex'), nowMs)
  return rememberSupported(client, store, { nowMs, logger })
}

/**
 * Verifying is quick; settling waits for the chain. But a facilitator may be late for a while, and so may this process itself:
 * whoever gives up too soon refuses what would have been sold.
 */
export function createHttpFacilitator(
  options: Readonly<{
    url: string
    auth?: HeaderField | null
    verifyTimeoutMs?: number
    settleTimeoutMs?: number
    supportedTimeoutMs?: number
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
type Question = Readonly<{ limitMs: number; bytesMax: number; body?: string }>
/** `data` is undefined where the answer is no JSON. */
type Answer = Readonly<{ status: number; isOk: boolean; data: unknown }>

/** An answer about one payment, and what a facilitator of many networks supports. */
const answerBytesMax = 65_536
const supportedBytesMax = 1_048_576

/**
 * x402's own client follows redirects and reads answers of any length. No error here repeats an answer, which may hold what
 * the server was sent.
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

/** A field that is null says as much as one that is left out. */
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
      // Those of the first version of x402 have other names.
      network: z.custom<PaymentRequirements['network']>((name) => typeof name === 'string'),
      extra: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  ),
  extensions: z.array(z.string()).default([]),
  signers: z.record(z.string(), z.array(z.string())).default({}),
})

/** What an answer says. A failure in no words of x402 has its status only. */
function answerIn<Said>(
  data: unknown,
  schema: z.ZodType<Said>,
  { operation, status }: Readonly<{ operation: Operation; status: number }>,
): Said {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  throw status >= 200 && status < 300
    ? new FacilitatorResponseError(`Facilitator ${operation} returned invalid data`)
    : failed(operation, status)
}

const failed = (operation: Operation, status: number): Error =>
  new FacilitatorResponseError(`Facilitator ${operation} failed (${status})`)
