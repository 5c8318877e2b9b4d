/** Sends requests to a schema registry and retries them. Every failure is an `OperationError`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SchemaRegistryClient } from '@confluentinc/schemaregistry/dist/schemaregistry-client.js'
import { OperationError } from '../../errors.ts'
import type { Logger } from '../../telemetry.ts'

export type RegistryClient = Pick<
  SchemaRegistryClient,
  'getId' | 'getBySubjectAndId' | 'register' | 'updateCompatibility' | 'clearCaches'
>

export type RegistryOptions = Readonly<{
  /**
   * The URL of the registry, from `SCHEMA_REGISTRY_URL`. A user and password in it are sent as basic
   * authentication.
   */
  url: string
  /** How long a request is retried while no registry answers, in milliseconds. Default: 30,000. */
  patienceMs?: number
  logger?: Logger
  signal?: AbortSignal
}>

/**
 * Calls `question`, a function that sends requests to the registry. Calls it again while no registry answers,
 * or while `question` throws because the answer is impossible. Fails with `registry_unreachable`, or with
 * `registry_refused`, whose context has the HTTP `status` and the `reason`.
 */
export type Ask = <Answer>(question: (client: RegistryClient) => Promise<Answer>) => Promise<Answer>

const patienceMsDefault = 30_000
const answerTimeoutMs = 10_000
const retryDelayMsMin = 100
const retryDelayMsMax = 2_000
/** The maximum size of a registry's answer, in bytes. A schema has only a few kilobytes. */
const answerBytesMax = 4 * 1_048_576

/**
 * Whether a retry may succeed after this HTTP status. A busy registry, or a proxy in front of a starting
 * registry, answers with one of these statuses. Null means that there was no answer.
 */
const isPassing = (status: number | null): boolean =>
  status === null || status === 408 || status === 429 || status >= 500

export async function connectRegistry(options: RegistryOptions): Promise<Ask> {
  const { patienceMs = patienceMsDefault, logger, signal } = options
  const { client, address } = await openClient(options.url)

  return async (question) => {
    const deadlineMs = Date.now() + patienceMs
    for (let delayMs = retryDelayMsMin; ; delayMs = Math.min(2 * delayMs, retryDelayMsMax)) {
      try {
        return await question(client)
      } catch (cause) {
        const status = statusOf(cause)
        if (!isPassing(status)) throw refused(address, status, cause)
        if (Date.now() + delayMs > deadlineMs) throw unreachable(address, status, cause)
        // The client caches every answer, even a wrong one. Clearing its caches makes the retry send a new
        // request.
        client.clearCaches()
        logger?.warn({ address, status, delayMs }, 'the schema registry does not answer. The program asks again')
      }
      await sleep(delayMs, undefined, { signal })
    }
  }
}

/** Opens the registry client with its own retries turned off, because they have no deadline. */
async function openClient(text: string): Promise<{ client: RegistryClient; address: string }> {
  const { SchemaRegistryClient } = await loadClient()
  const url = new URL(text)
  const userInfo = [url.username, url.password].map(decodeURIComponent).join(':')
  url.username = ''
  url.password = ''
  const address = url.href.replace(/\/$/, '')
  const client = new SchemaRegistryClient({
    baseURLs: [address],
    maxRetries: 0,
    // Redirects are off, so that the request only reaches this server.
    createAxiosDefaults: { timeout: answerTimeoutMs, maxContentLength: answerBytesMax, maxRedirects: 0 },
    ...(userInfo !== ':' && { basicAuthCredentials: { credentialsSource: 'USER_INFO', userInfo } }),
  })
  return { client, address }
}

/**
 * Imports a single file of the package `@confluentinc/schemaregistry`. Its main module would also load the
 * clients of key services, which an empty package replaces (`infra/no-key-services`).
 */
const loadClient = () =>
  import('@confluentinc/schemaregistry/dist/schemaregistry-client.js').catch((cause: unknown) => {
    throw new OperationError(
      'dependency_missing',
      'SCHEMA_REGISTRY_URL needs the package @confluentinc/schemaregistry, which is not installed. Install it with "npm ci"',
      { cause },
    )
  })

const statusOf = (error: unknown): number | null => (error as { status?: number }).status ?? null

const refused = (address: string, status: number | null, cause: unknown) => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new OperationError(
    'registry_refused',
    `the schema registry at ${address} answered ${status}: ${reason}. Check SCHEMA_REGISTRY_URL`,
    {
      cause,
      context: { status, reason },
    },
  )
}

function saidIn(status: number | null, error: unknown): string {
  if (status !== null) return `answers ${status}`
  return error instanceof TypeError || error instanceof SyntaxError ? 'sends an invalid answer' : 'does not answer'
}

/**
 * The error for a registry that does not answer. It has only the cause of the client's error, because the
 * client's error itself contains the request with its password.
 */
const unreachable = (address: string, status: number | null, error: unknown) =>
  new OperationError(
    'registry_unreachable',
    `the schema registry at ${address} ${saidIn(status, error)}. Check the registry and SCHEMA_REGISTRY_URL`,
    { cause: (error as Error).cause, context: { status } },
  )
