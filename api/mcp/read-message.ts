/** Reads the single message of a request. */
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { type Refusal, refuse } from '../sale/refusals.ts'

export const messageBytesMax = 65_536
/**
 * The maximum depth of nesting in a message. A payment has five levels. A message with thousands of levels is slow to
 * parse and overflows the stack of recursive code.
 */
const depthMax = 32

/** Returns null if the client has disconnected. Refuses a batch, because the limit of messages would count a batch as one message. */
export async function readMessage({ req, res }: Context): Promise<Readonly<{ message: object }> | Refusal | null> {
  if (Number(req.headers['content-length'] ?? 0) > messageBytesMax) return tooLong
  if (req.headers.expect !== undefined) res.writeContinue()
  const bytes = await readBytes(req)
  if (bytes === null) return null
  if (bytes.length > messageBytesMax) return tooLong
  return parse(bytes.toString())
}

/** Reads the body to its end, or until it is too long. Returns null if the connection closes earlier. */
function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve) => {
    const end = () => resolve(Buffer.concat(chunks))
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= messageBytesMax + chunk.length) chunks.push(chunk)
      if (length > messageBytesMax) end()
    })
    request.once('end', end)
    request.once('error', () => resolve(null))
    request.once('close', () => resolve(null))
  })
}

function parse(text: string): Readonly<{ message: object }> | Refusal {
  try {
    const message: unknown = isShallow(text) ? JSON.parse(text) : null
    if (Array.isArray(message))
      return refuse('bad_message', 'the body is an array, which is not accepted. Send one JSON-RPC message per request')
    if (typeof message === 'object' && message !== null) return { message }
  } catch {
    // The error is ignored, because its text would repeat the bytes that the client sent.
  }
  return refuse(
    'bad_message',
    `the body is not a JSON-RPC message. Send one JSON object, nested at most ${depthMax} levels deep`,
  )
}

function isShallow(text: string): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length && depth <= depthMax; at += 1) {
    const char = text[at] as string
    if (char === '"') isText = !isText
    else if (isText) at += char === '\\' ? 1 : 0
    else depth += stepOf[char] ?? 0
  }
  return depth <= depthMax
}

const stepOf: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

const tooLong = refuse(
  'message_too_long',
  `the message is longer than ${messageBytesMax} bytes. Send a shorter message`,
)
