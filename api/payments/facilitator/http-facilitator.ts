/** A facilitator over HTTP. */
import { hash } from 'node:crypto'
import { type FacilitatorClient, type FacilitatorConfig, HTTPFacilitatorClient } from '@x402/core/server'
import type { Config, HeaderField } from '../../../infra/config.ts'
import type { Logger } from '../../../infra/telemetry.ts'
import { createSupportedStore, rememberSupported } from './supported-store.ts'

export type FacilitatorAddress = Readonly<{
  url: string
  /** What lets us in, sent with every request. None: a facilitator of one's own. */
  auth: HeaderField | null
  /** Of this process: it starts and ends with it. */
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

/** Verifying is quick; settling waits for the chain. */
export function createHttpFacilitator(
  options: Readonly<{
    url: string
    auth?: HeaderField | null
    verifyTimeoutMs?: number
    settleTimeoutMs?: number
  }>,
): FacilitatorClient {
  const { url, auth = null, verifyTimeoutMs = 5_000, settleTimeoutMs = 20_000 } = options
  const access = auth === null ? {} : { createAuthHeaders: headersOf(auth) }
  const quick = new HTTPFacilitatorClient({ url, timeoutMs: verifyTimeoutMs, ...access })
  const patient = new HTTPFacilitatorClient({ url, timeoutMs: settleTimeoutMs, ...access })
  const discreet = <Answer>(asked: Promise<Answer>): Promise<Answer> =>
    auth === null ? asked : asked.catch((error) => throwWithout(secretOf(auth), error))
  return {
    verify: (payload, requirements) => discreet(quick.verify(payload, requirements)),
    settle: (payload, requirements) => discreet(patient.settle(payload, requirements)),
    getSupported: () => discreet(quick.getSupported()),
  }
}

const headersOf =
  ({ name, value }: HeaderField): NonNullable<FacilitatorConfig['createAuthHeaders']> =>
  async () => {
    const headers = { [name]: value }
    return { verify: headers, settle: headers, supported: headers }
  }

const secretOf = ({ value }: HeaderField): string => value.replace(/^Bearer /, '')

/** An error of the client repeats how the answer begins, and a server may answer with what it was sent. */
function throwWithout(secret: string, error: unknown): never {
  if (error instanceof Error && (error.message.includes(secret) || error.stack?.includes(secret))) {
    const message = error.message.replaceAll(secret, '…')
    Object.assign(error, { message, stack: `${error.name}: ${message}` })
  }
  throw error
}
