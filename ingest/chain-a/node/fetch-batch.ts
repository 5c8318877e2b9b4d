/** Matches the answers of a JSON-RPC batch to its requests. */
import { ResponseBodyTooLargeError } from 'viem'
import { textOfResponse } from '../../../infra/text-of-response.ts'
import { busyStatuses } from './failures.ts'

type Question = Readonly<{ id: number }>
type Answer = Readonly<{ id?: unknown; error?: unknown }>

/**
 * Returns a `fetch` for batches. viem sorts the answers by id and assigns them to the requests in that order.
 * If an answer is missing or an error has no id, viem would give requests the answers of other requests.
 * Therefore each request gets the first item of this list that exists:
 * - its own answer
 * - the error that came without an id
 * - an error that reports a missing answer
 */
export const fetchBatch =
  (bytesMax: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const { ok, status, statusText } = response
    if (busyStatuses.has(status)) return response
    const questions: unknown = JSON.parse(String(init?.body))
    const text = await textOfResponse(response, bytesMax)
    if (text === null) throw new ResponseBodyTooLargeError({ maxSize: bytesMax, size: bytesMax + 1 })
    const headers = { 'content-type': response.headers.get('content-type') ?? '' }
    // A body with a JSON-RPC error is the node's answer to the request, even if the HTTP status is an error.
    if (!ok && !saysWhy(text)) return new Response(text, { status, statusText, headers })
    const answer = Array.isArray(questions) ? inOrder(questions, JSON.parse(text)) : text
    return new Response(answer, { status: Array.isArray(questions) ? 200 : status, headers })
  }

function saysWhy(text: string): boolean {
  try {
    const body: unknown = JSON.parse(text)
    return [body].flat().some((answer) => isAnswer(answer) && Boolean(answer.error))
  } catch {
    return false
  }
}

function inOrder(questions: readonly Question[], answers: unknown): string {
  const list = (Array.isArray(answers) ? answers : [answers]).filter(isAnswer)
  const answerTo = new Map(list.map((answer) => [answer.id, answer]))
  const stray = list.find(({ id, error }) => (id === null || id === undefined) && error)
  const error = stray?.error ?? { code: 429, message: 'the node left out an answer of a batch' }
  return JSON.stringify(questions.map(({ id }) => answerTo.get(id) ?? { jsonrpc: '2.0', id, error }))
}

const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null
