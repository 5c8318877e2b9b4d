/** Each kind of request to a node. */
import { expect } from 'chai'
import { HttpRequestError } from 'viem'
import { isOperationError, OperationError } from '../../../../infra/errors.ts'
import { retrying } from '../../../../ingest/chain-a/follow/start-block.ts'
import { createOwnersLookup } from '../../../../ingest/chain-a/lookups/owners.ts'
import { callContract } from '../../../../ingest/chain-a/node/call-contract.ts'
import { readHeader } from '../../../../ingest/chain-a/node/headers.ts'
import { createHostPause, type Node } from '../../../../ingest/chain-a/node/node.ts'
import { createRpcOwnerReader } from '../../../../ingest/chain-a/node/read-senders.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const never = new AbortController().signal
const answering = (answer: () => unknown): Node => ({
  hosts: 'test',
  request: async <Result>() => (await answer()) as Result,
})
const refusal = (message: string, code?: number) => () => {
  throw new OperationError('node_refused', message, { context: { code } })
}
const failureOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe('a call of a contract', () => {
  const call = (node: Node) => callContract(node, { to: addressOfDigits('1'), data: '0x', block: hashOf('b') }, never)

  const answers: [string, () => unknown, string | null][] = [
    ['what it returns, in lower case', () => '0xAB', '0xab'],
    ['nothing where there is no contract', () => '0x', null],
    ['nothing of a revert that a number names', refusal('no', 3), null],
    ['nothing of a revert that words name', refusal('execution reverted', -32_000), null],
    ['nothing where the gas ran out', refusal('out of gas', -32_000), null],
  ]
  for (const [what, answer, expected] of answers)
    it(`gives ${what}`, async () => {
      expect(await call(answering(answer))).to.equal(expected)
    })

  it('fails where the node answers with what no contract can return', async () => {
    for (const answer of [7, null, '', '0xzz', '0x5', {}])
      expect(isOperationError(await failureOf(call(answering(() => answer))), 'node_inconsistent')).to.equal(true)
  })

  it('fails where the node refuses for another reason', async () => {
    for (const answer of [refusal('missing trie node', -32_000), refusal('header not found')])
      expect(isOperationError(await failureOf(call(answering(answer))), 'node_refused')).to.equal(true)
  })
})

describe('the owner of a position', () => {
  const word = (digits: string) => `0x${digits.padStart(64, '0')}`
  const read = async (answer: () => unknown) => {
    const owners = createRpcOwnerReader({ node: answering(answer), positionManager: addressOfDigits('1') })
    return [...(await owners({ blockNumber: 7, blockHash: hashOf('b'), positionIds: [hashOf('7')] }, never))]
  }

  it('is the address in the answer, and nobody where there is none', async () => {
    expect(await read(() => word('5'.repeat(40)))).to.deep.equal([[hashOf('7'), addressOfDigits('5')]])
    expect(await read(refusal('reverted', 3))).to.deep.equal([[hashOf('7'), null]])
  })

  it('is not made up of what is no address', async () => {
    for (const answer of [word('5'.repeat(41)), `${word('5')}00`, '0x05'])
      expect(isOperationError(await failureOf(read(() => answer)), 'node_refused'), answer).to.equal(true)
  })
})

describe('a header', () => {
  const whole = { number: '0x7', hash: hashOf('A'), parentHash: hashOf('B'), timestamp: '0x10' }
  const read = (raw: unknown) =>
    readHeader(
      answering(() => raw),
      7,
      never,
    )

  it('is read in lower case, with its time in milliseconds', async () => {
    const expected = { number: 7, hash: hashOf('a'), parentHash: hashOf('b'), atMs: 16_000 }
    expect(await read(whole)).to.deep.equal(expected)
  })

  it('is none where the node has none', async () => {
    for (const raw of [null, undefined, 'text', 7]) expect(await read(raw), String(raw)).to.equal(null)
  })

  const broken: [string, object][] = [
    ['number: it is pending', { number: null }],
    ['number or hash: it is pending', { number: null, hash: null }],
    ['hash', { hash: null }],
    ['whole hash', { hash: '0xab' }],
    ['time', { timestamp: undefined }],
    ['time that is a number', { timestamp: 'soon' }],
  ]
  for (const [what, change] of broken)
    it(`is refused without a ${what}`, async () => {
      expect(isOperationError(await failureOf(read({ ...whole, ...change })), 'node_inconsistent')).to.equal(true)
    })
})

describe('a URL that asked to be left alone', () => {
  it('is not asked until then, and answers as if it said so again', () => {
    let now = 1_000
    const rest = createHostPause('http://node', () => now)
    const said = (status: number, seconds: string) =>
      rest.noteResponse(new Response('', { status, headers: { 'retry-after': seconds } }))
    const refused = () => {
      try {
        rest.check()
        return null
      } catch (error) {
        expect(error).to.be.instanceOf(HttpRequestError).and.to.include({ status: 429 })
        return (error as HttpRequestError).headers?.get('retry-after')
      }
    }
    said(200, '30')
    expect(refused(), 'an answer asks for nothing').to.equal(null)
    said(503, '10')
    said(503, '5')
    expect(refused()).to.equal('10')
    now = 10_999
    expect(refused()).to.equal('1')
    now = 11_000
    expect(refused()).to.equal(null)
  })
})

describe('a read that is tried again', () => {
  const away = new OperationError('node_unreachable', 'away')
  const unsure = new OperationError('node_inconsistent', 'unsure')
  const tried = async (failures: readonly Error[]) => {
    const waits: number[] = []
    const left = [...failures]
    const read = async () => {
      const failure = left.shift()
      if (failure) throw failure
      return 'read'
    }
    const result = await failureOf(retrying(read, { delay: async (ms) => void waits.push(ms), signal: never }))
    return { result, waits }
  }

  it('waits twice as long each time, and fails with the seventh error', async () => {
    expect(await tried([])).to.deep.equal({ result: 'read', waits: [] })
    expect(await tried([away, unsure])).to.deep.equal({ result: 'read', waits: [250, 500] })
    const waits = [250, 500, 1000, 2000, 4000, 8000]
    expect(await tried(Array(6).fill(away))).to.deep.equal({ result: 'read', waits })
    expect(await tried(Array(7).fill(away))).to.deep.equal({ result: away, waits })
  })

  it('takes a refusal as the answer', async () => {
    const refused = new OperationError('node_refused', 'no')
    expect(await tried([refused])).to.deep.equal({ result: refused, waits: [] })
  })
})

describe('the owners of positions that a node does not name', () => {
  const asked = { blockNumber: 7, blockHash: hashOf('b'), positionIds: [] } as never
  const find = (error: Error, ageMs: number) =>
    failureOf(
      createOwnersLookup(() => Promise.reject(error)).find(asked, { ageMs: () => ageMs, signal: never } as never),
    )

  for (const code of ['node_refused', 'node_unreachable'] as const)
    it(`are asked for again for a minute, then never: ${code}`, async () => {
      const error = new OperationError(code, 'header not found')
      expect(await find(error, 59_999)).to.deep.equal({ missing: 'header not found' })
      expect(await find(error, 60_000)).to.equal(error)
    })

  it('are not asked for again after another failure', async () => {
    const wrong = new OperationError('provider_failed', 'no')
    expect(await find(wrong, 0)).to.equal(wrong)
  })
})
