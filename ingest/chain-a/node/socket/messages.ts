import type { RawData } from 'ws'

/** What a node sent over a socket: the answer to a question, or a notice of a subscription. */
export type Message = Readonly<{ id: number | null; isNotice: boolean; result: unknown; error: unknown }>

/** Null if it is no JSON-RPC message. */
export function messageIn(data: RawData): Message | null {
  const sent = parsed(data)
  if (typeof sent !== 'object' || sent === null) return null
  const { id, method, result, error } = sent as Record<string, unknown>
  return { id: typeof id === 'number' ? id : null, isNotice: method === 'eth_subscription', result, error }
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data))
  } catch {
    return null
  }
}

type RpcError = Readonly<{ code: number; message: string }>

export function answerIn({ result, error }: Message): Readonly<{ result: unknown } | { error: RpcError }> {
  if (error === undefined || error === null) return { result }
  const { code, message } = error as Readonly<Record<string, unknown>>
  return { error: { code: Number(code), message: String(message ?? 'no reason') } }
}
