import { OperationError } from '../infra/errors.ts'
import { limited } from '../infra/limited.ts'
import { textOfResponse } from '../infra/text-of-response.ts'
import type { DurationMs } from '../schemas/units.ts'

export type JsonQuestion = Readonly<{
  address: URL
  /** The name of the provider in errors. Errors never show `address`, which may contain a key. */
  name: string
  limitMs: DurationMs
  bytesMax: number
}>

/**
 * Requests JSON from a provider. Fails with `provider_failed`. After a refusal, the context of the error has the `status` and `retryAfter`
 * of the response.
 */
export async function askJson(
  { address, name, limitMs, bytesMax }: JsonQuestion,
  signal: AbortSignal,
): Promise<unknown> {
  const limit = limited([signal], limitMs)
  let text: string | null
  try {
    const response = await fetch(address, {
      headers: { accept: 'application/json' },
      signal: limit.signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      const context = { status: response.status, retryAfter: response.headers.get('retry-after') }
      throw new OperationError('provider_failed', `${name} answered with status ${response.status}`, { context })
    }
    text = await textOfResponse(response, bytesMax)
  } catch (error) {
    signal.throwIfAborted()
    if (limit.isOver()) throw failed(`${name} did not answer in ${limitMs} ms`)
    throw error instanceof OperationError ? error : failed(`${name} did not answer`)
  } finally {
    limit.release()
  }
  if (text === null) throw failed(`the answer of ${name} is larger than ${bytesMax} bytes`)
  try {
    return JSON.parse(text)
  } catch {
    throw failed(`the answer of ${name} is not JSON`)
  }
}

const failed = (message: string): OperationError => new OperationError('provider_failed', message)
