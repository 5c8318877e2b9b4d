/** Makes a JSON-RPC node out of a server that lies (`liar.ts`): its honest answers, and false ones. */
import type { Answer, Question } from './liar.ts'
import { type Lying, lieAbout } from './tell.ts'

export type Call = Readonly<{ id: unknown; method: string; params: readonly unknown[] }>
type Reply = Readonly<{ jsonrpc: string; id: unknown }> & Readonly<Record<string, unknown>>

const callsIn = ({ body }: Question): Readonly<{ calls: readonly Call[]; isBatch: boolean }> => {
  const asked = JSON.parse(body) as Call | readonly Call[]
  return { calls: [asked].flat() as readonly Call[], isBatch: Array.isArray(asked) }
}

/** `answer` returns all fields of a reply except the id. */
export const rpcAnswer =
  (answer: (call: Call) => Promise<object>) =>
  async (question: Question): Promise<Answer> => {
    const { calls, isBatch } = callsIn(question)
    const replies = await Promise.all(
      calls.map(async (call) => ({ jsonrpc: '2.0', id: call.id, ...(await answer(call)) })),
    )
    return { status: 200, text: JSON.stringify(isBatch ? replies : replies[0]) }
  }

/** By default, `lieAboutResult` changes any part of the result. */
export const lieInRpc =
  (
    lieAboutResult: (call: Call, result: unknown, lying: Lying) => unknown = (_, result, lying) =>
      lieAbout(result, lying),
  ) =>
  (question: Question, said: Answer, lying: Lying): Answer => {
    const { calls, isBatch } = callsIn(question)
    const replies = [JSON.parse(said.text)].flat() as readonly Reply[]
    const { random, count } = lying
    if (isBatch && random.chance(0.2)) {
      count('a batch in another form')
      return {
        ...said,
        text: JSON.stringify(
          random.pick([replies.slice(1), replies.toReversed(), [...replies, ...replies], replies[0], []]),
        ),
      }
    }
    const at = random.whole(0, replies.length - 1)
    const [call, reply] = [calls[at], replies[at]]
    if (call === undefined || reply === undefined) return said
    const lied = (replies as readonly unknown[]).with(
      at,
      lieInReply(reply, lying, () => lieAboutResult(call, reply.result, lying)),
    )
    return { ...said, text: JSON.stringify(isBatch ? lied : lied[0]) }
  }

const errors = [
  null,
  'no',
  {},
  { code: -32_603 },
  { code: -32_000, message: 'header not found' },
  { code: -32_602, message: 'invalid params' },
  { code: -32_005, message: 'limit exceeded' },
  { code: '429', message: ['too many'] },
  { code: 1e308, message: 'x'.repeat(100_000), data: { a: [] } },
] as const

function lieInReply(reply: Reply, { random, count }: Lying, lieAboutResult: () => unknown): unknown {
  if (random.chance(0.8)) return { ...reply, result: lieAboutResult() }
  const kinds: Readonly<Record<string, () => unknown>> = {
    'an error': () => ({ jsonrpc: '2.0', id: reply.id, error: random.pick(errors) }),
    'an error beside the result': () => ({ ...reply, error: random.pick(errors) }),
    'a wrong id': () => ({ ...reply, id: random.pick([null, -1, 'x', 1e308]) }),
    'no reply at all': () => random.pick([null, 1, 'x', [], {}]),
  }
  const kind = random.pick(['an error', 'an error beside the result', 'a wrong id', 'no reply at all'] as const)
  count(kind)
  return kinds[kind]?.()
}
