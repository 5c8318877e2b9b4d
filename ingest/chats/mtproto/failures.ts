/** Determines how the reader must react to a failed call to the platform. */
import { tl } from '@mtcute/node'
import { isOperationError, OperationError } from '../../../infra/errors.ts'
import type { DurationMs } from '../../../schemas/units.ts'
import { NoSuchChat } from './channel.ts'

export type Meaning =
  /** The platform allows no call for `waitMs`. */
  | Readonly<{ type: 'wait'; waitMs: DurationMs }>
  /** The platform does not show the channel to the account. */
  | Readonly<{ type: 'refused'; text: string }>
  /** The platform no longer accepts the read position of the channel. */
  | Readonly<{ type: 'lost' }>
  /** The platform has a fault, so the reader sends the call again. */
  | Readonly<{ type: 'failed'; text: string }>
  | Readonly<{ type: 'unreachable'; text: string }>

/** The error text with which the client reports a call without an answer. */
const noAnswerText = 'TIMEOUT'

export const noAnswer = () => new tl.RpcError(tl.RpcError.BAD_REQUEST, noAnswerText)

const lostTexts: readonly string[] = [
  'PERSISTENT_TIMESTAMP_EMPTY',
  'PERSISTENT_TIMESTAMP_INVALID',
  'PERSISTENT_TIMESTAMP_OUTDATED',
]

/**
 * Returns how the reader must react to an error of a call. Throws `node_refused` if the account is signed
 * out, because nothing can be read until somebody signs in.
 */
export function meaningOf(error: unknown): Meaning {
  if (error instanceof NoSuchChat) return { type: 'refused', text: 'there is no such channel or group' }
  if (isOperationError(error, 'provider_failed')) return { type: 'failed', text: error.message }
  if (!tl.RpcError.is(error)) throw error
  const { code, text } = error
  const waitSec = /_WAIT_(\d+)$/.exec(text)?.[1] ?? ('seconds' in error ? String(error.seconds) : undefined)
  if (code === tl.RpcError.FLOOD && waitSec !== undefined) return { type: 'wait', waitMs: Number(waitSec) * 1000 }
  if (code === tl.RpcError.UNAUTHORIZED || text === 'USER_DEACTIVATED_BAN') throw signedOut(text)
  if (text === noAnswerText) return { type: 'unreachable', text: 'the platform did not answer' }
  if (lostTexts.includes(text)) return { type: 'lost' }
  const isRefusal =
    code === tl.RpcError.BAD_REQUEST || code === tl.RpcError.FORBIDDEN || code === tl.RpcError.NOT_ACCEPTABLE
  return { type: isRefusal ? 'refused' : 'failed', text }
}

export const signedOut = (text: string) =>
  new OperationError(
    'node_refused',
    `the session of the chat platform is not valid: ${text}. Sign in with "launch-data ingest chat --login", then start again`,
  )
