import { expect } from 'chai'
import { failureOfAnswer, failureOfStatus, isNoBlock } from '../../../../ingest/chain-b/node/failures.ts'

describe('a failure of a node of chain B', () => {
  const answers: readonly (readonly [code: unknown, message: string, isPassing: boolean])[] = [
    ...[-32_004, -32_005, -32_014, -32_016, -32_603, 429].map((code) => [code, 'no', true] as const),
    ...[-32_007, -32_009, -32_602, 0, '429', undefined].map((code) => [code, 'no', false] as const),
    [-32_000, 'rate limit reached', true],
    [-32_000, 'Rate-Limited', true],
    [-32_000, 'your ratelimit is 5', true],
    [-32_000, 'you have sent Too Many Requests', true],
    [-32_000, 'the rate has no limit', false],
    [-32_000, 'too many accounts were requested', false],
  ]
  for (const [code, message, isPassing] of answers)
    it(`${isPassing ? 'may pass' : 'stays'}: ${String(code)} ${message}`, () => {
      const failure = failureOfAnswer('getBlock', code, message)
      expect(failure.code).to.equal(isPassing ? 'node_unreachable' : 'node_refused')
      expect(failure.message).to.equal(
        isPassing ? `the node cannot answer getBlock now: ${message}` : `the node refused getBlock: ${message}`,
      )
      expect(isNoBlock(failure)).to.equal(code === -32_007 || code === -32_009)
    })

  it('is told by the status of an answer only if the same request may succeed later, or is not allowed', () => {
    const codeOf = (status: number) => failureOfStatus('getBlock', new Response(null, { status }))?.code ?? null
    for (const status of [408, 425, 429, 500, 502, 503, 504])
      expect(codeOf(status), String(status)).to.equal('node_unreachable')
    for (const status of [401, 403]) expect(codeOf(status), String(status)).to.equal('node_refused')
    for (const status of [200, 400, 404, 413]) expect(codeOf(status), String(status)).to.equal(null)
    expect(failureOfStatus('getBlock', new Response(null, { status: 503 }))?.message).to.equal(
      'the node did not answer getBlock: status 503',
    )
  })
})
