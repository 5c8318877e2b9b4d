import { expect } from 'chai'
import { pino } from 'pino'
import { OperationError } from '../../../../infra/errors.ts'
import { createCurveReader } from '../../../../ingest/chain-a/follow/curve-reader.ts'
import type { Launchpad } from '../../../../ingest/chain-a/launchpads/launchpad.ts'
import type { Node } from '../../../../ingest/chain-a/node/node.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { addressOfDigits, hashOf } from '../build-log.ts'

const [curve, token] = ['c', '7'].map(addressOfDigits) as [Hex, Hex]
const { signal } = new AbortController()
const refusal = (message: string, code = -32_000) => new OperationError('node_refused', message, { context: { code } })
const away = () => new OperationError('node_unreachable', 'away')

/** A launchpad with three kinds of call: 0x1 for the identity, 0x2 for the terms, 0x3 for the reserve. */
const launchpad: Launchpad = {
  name: 'toy',
  factory: addressOfDigits('f'),
  factoryTopics: [],
  curveTopics: [],
  decode: () => 'ignored',
  readTerms: async (call) => terms((await call(curve, '0x2')) ?? null),
  identify: async (call) => {
    const found = terms(await call(curve, '0x1'))
    return found && { ...found, token, creator: null, launchAtMs: 9000, graduationWei: 42n }
  },
  readReserveWei: async (call) => {
    const answer = await call(curve, '0x3')
    return answer === null ? null : BigInt(answer)
  },
}
const terms = (answer: Hex | null) =>
  answer === null ? null : { phantomWei: BigInt(answer), supplyRaw: 1n, symbol: null }

describe('what the node says of curves', () => {
  let asked: string[]
  /**
   * Returns the answer to a call and a block, such as `0x3 latest`. If it returns an error, the node throws
   * this error.
   */
  let answerOf: (question: string) => Hex | Error
  /** Returns the number of the block whose header the node sends, for the block that was requested. */
  let branchOf: (blockNumber: number) => number
  const blockHash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
  const header = (number: number) => ({
    ...{ number: `0x${number.toString(16)}`, timestamp: '0x1' },
    ...{ hash: blockHash(number), parentHash: blockHash(number - 1) },
  })
  const node: Node = {
    hosts: 'toy',
    async request<Result>({ method, params }: { method: string; params: readonly unknown[] }) {
      if (method === 'eth_getBlockByNumber') return header(branchOf(Number(params[0]))) as Result
      const [{ data }, block] = params as [{ data: string }, 'latest' | { blockHash: Hex }]
      const question = `${data} ${block === 'latest' ? block : Number(block.blockHash)}`
      expect(method).to.equal('eth_call')
      asked.push(question)
      const answer = answerOf(question)
      if (answer instanceof Error) throw answer
      return answer as Result
    },
  }
  let nowMs: number
  const read = () => createCurveReader({ node, logger: pino({ level: 'silent' }), waitClockMs: () => nowMs })
  const strangerAt = (blockNumber: number) => ({
    ...{ curve, launchpad, blockNumber, blockHash: blockHash(blockNumber), launch: null },
  })
  const knownAt = (blockNumber: number) => ({
    ...strangerAt(blockNumber),
    launch: { launchBlock: 3, launchAtMs: 4000 },
  })
  const reservesOf = async (reader: ReturnType<typeof read>, blockNumber: number) =>
    [...(await reader.find([strangerAt(blockNumber)], signal)).values()].map(({ data }) => data.reserveWei)

  beforeEach(() => {
    asked = []
    nowMs = 1_000
    answerOf = () => '0x05'
    branchOf = (blockNumber) => blockNumber
  })

  it('finds a stranger with what it held before the block', async () => {
    const found = await read().find([strangerAt(7)], signal)
    expect(found.get(curve)).to.deep.include({ token, blockNumber: 7 })
    expect(found.get(curve)?.data).to.include({ launchpad: 'toy', graduationWei: 42n, phantomWei: 5n, reserveWei: 5n })
    expect(found.get(curve)?.data).to.include({ launchBlock: null, launchAtMs: 9000 })
    expect(asked).to.deep.equal(['0x1 latest', '0x3 6'])
  })

  it('finds a known curve again, with what the log says of its launch', async () => {
    const found = await read().find([knownAt(7)], signal)
    expect(found.get(curve)?.data).to.include({ reserveWei: 5n, launchBlock: 3, launchAtMs: 4000 })
  })

  it('fails where the node has another block of that number by now, and refuses nobody', async () => {
    branchOf = () => 8
    const reader = read()
    expect(await reader.find([strangerAt(7)], signal).catch((error: unknown) => error)).to.include({
      code: 'node_inconsistent',
    })
    expect(reader.isRefused(curve, 'unknown')).to.equal(false)
  })

  for (const [name, answer] of [
    ['reverts', refusal('execution reverted', 3)],
    ['reverts in words', refusal('VM Exception: Reverted')],
    ['uses up its gas', refusal('out of gas')],
    ['answers more than its gas allows', refusal('EVM error MemoryOOG')],
    ['is no contract', '0x'],
  ] as const)
    it(`refuses a stranger for good that ${name}`, async () => {
      answerOf = () => answer
      const reader = read()
      expect(await reservesOf(reader, 7)).to.deep.equal([])
      expect(reader.isRefused(curve, 'unknown')).to.equal(true)
    })

  it('refuses one of which nothing can be found out three times', async () => {
    answerOf = () => refusal('internal error')
    const reader = read()
    for (const isRefused of [false, false, true]) {
      await reservesOf(reader, 7)
      expect(reader.isRefused(curve, 'unknown')).to.equal(isRefused)
    }
  })

  it('does not find a curve that is full, or was not there before the block, and refuses it neither', async () => {
    answerOf = (question) => (question.startsWith('0x3') ? refusal('execution reverted', 3) : '0x05')
    const reader = read()
    expect(await reservesOf(reader, 7)).to.deep.equal([])
    expect(reader.isRefused(curve, 'unknown')).to.equal(false)
  })

  it('never refuses a known curve, whatever is answered', async () => {
    const reader = read()
    for (const answer of [refusal('execution reverted', 3), refusal('internal error'), '0x'] as const)
      for (let block = 1; block < 5; block++) {
        answerOf = (question) => (block < 4 || question.startsWith('0x3') ? answer : '0x05')
        expect((await reader.find([knownAt(block)], signal)).size).to.equal(0)
      }
    expect(reader.isRefused(curve, 'unknown')).to.equal(false)
  })

  for (const nonsense of ['', 'x', '0xzz', '0x5', 12, null, {}])
    it(`fails where the node answers with ${JSON.stringify(nonsense)}, and refuses nobody`, async () => {
      answerOf = () => nonsense as Hex
      const reader = read()
      for (let look = 1; look < 5; look++)
        for (const asking of [
          reader.find([strangerAt(7)], signal),
          reader.readTerms([{ ...strangerAt(7), token }], signal),
        ])
          expect(await asking.catch((error: unknown) => error)).to.include({ code: 'node_inconsistent' })
      expect([reader.isRefused(curve, 'unknown'), reader.isRefused(curve, 'launch')]).to.deep.equal([false, false])
    })

  it('fails where the node is away, and refuses nobody', async () => {
    answerOf = away
    const reader = read()
    expect(await reader.find([strangerAt(7)], signal).catch((error: unknown) => error)).to.include({
      code: 'node_unreachable',
    })
    expect(reader.isRefused(curve, 'unknown')).to.equal(false)
  })

  it('finds a stranger later, when the node has no state of the first block any more, and asks less and less until then', async () => {
    answerOf = (question) => (/^0x3 \d\d?$/.test(question) ? refusal('missing trie node') : '0x05')
    const reader = read()
    for (let block = 1; block < 100; block++) expect(await reservesOf(reader, block)).to.deep.equal([])
    expect(await reservesOf(reader, 200)).to.deep.equal([5n])
    expect(reader.isRefused(curve, 'unknown')).to.equal(false)
    expect(asked).to.deep.equal([
      '0x1 latest',
      ...['0x3 0', '0x3 1', '0x3 3', '0x3 7', '0x3 15', '0x3 31', '0x3 63', '0x3 199'],
    ])
  })

  it('reads the terms of a launch at its block, or as they are now where the node has no state of it', async () => {
    const launchAt = (blockNumber: number) => ({ ...strangerAt(blockNumber), token })
    expect((await read().readTerms([launchAt(7)], signal)).get(curve)?.phantomWei).to.equal(5n)
    answerOf = (question) => (question === '0x2 8' ? refusal('missing trie node') : '0x06')
    expect((await read().readTerms([launchAt(8)], signal)).get(curve)?.phantomWei).to.equal(6n)
    expect(asked).to.deep.equal(['0x2 7', '0x2 8', '0x2 latest'])
  })

  it('refuses a launch whose contracts do not answer', async () => {
    answerOf = () => refusal('execution reverted', 3)
    const reader = read()
    expect(await reader.readTerms([{ ...strangerAt(7), token, blockHash: hashOf('1') }], signal)).to.deep.equal(
      new Map(),
    )
    expect(reader.isRefused(curve, 'launch')).to.equal(true)
    expect(reader.isRefused(curve, 'unknown')).to.equal(true)
  })

  it('does not refuse a launch of a block that one of several nodes does not have yet', async () => {
    const launch = { ...strangerAt(7), token }
    const reader = read()
    answerOf = (question) => (question.endsWith('latest') ? '0x' : refusal('header not found'))
    for (let look = 1; look < 20; look++) {
      expect(await reader.readTerms([launch], signal).catch((error: unknown) => error)).to.include({
        code: 'node_inconsistent',
      })
      expect(reader.isRefused(curve, 'launch')).to.equal(false)
    }
    answerOf = () => '0x06'
    expect((await reader.readTerms([launch], signal)).get(curve)?.phantomWei).to.equal(6n)
  })

  it('refuses a launch whose contracts do not answer as they are now either, time after time', async () => {
    const reader = read()
    answerOf = (question) => (question.endsWith('latest') ? '0x' : refusal('missing trie node'))
    const looks = Array.from({ length: 20 }, () => reader.readTerms.bind(null, [{ ...strangerAt(7), token }], signal))
    for (const look of looks)
      await look().catch((error: unknown) => expect(error).to.include({ code: 'node_inconsistent' }))
    expect(reader.isRefused(curve, 'launch')).to.equal(true)
  })

  it('finds a refused launch at a trade a minute later, and does not read the launch again', async () => {
    const reader = read()
    answerOf = () => '0x'
    await reader.readTerms([{ ...strangerAt(7), token }], signal)
    nowMs += 59_999
    expect(reader.isRefused(curve, 'unknown')).to.equal(true)
    nowMs += 1
    expect([reader.isRefused(curve, 'unknown'), reader.isRefused(curve, 'launch')]).to.deep.equal([false, true])
    answerOf = () => '0x05'
    expect(await reservesOf(reader, 70)).to.deep.equal([5n])
  })

  it('looks for a refused launch that never answers at fewer and fewer trades, eight times in all', async () => {
    const reader = read()
    answerOf = () => '0x'
    await reader.readTerms([{ ...strangerAt(7), token }], signal)
    const looksAtMin: number[] = []
    for (let minute = 0; minute < 2_000; minute++) {
      if (!reader.isRefused(curve, 'unknown')) looksAtMin.push(minute)
      if (!reader.isRefused(curve, 'unknown')) await reservesOf(reader, 7)
      nowMs += 60_000
    }
    expect(looksAtMin).to.deep.equal([1, 3, 7, 15, 31, 63, 127, 255])
    expect(reader.isRefused(curve, 'launch')).to.equal(true)
  })

  it('looks no longer than that for one whose calls fail without a reason', async () => {
    const reader = read()
    answerOf = () => '0x'
    await reader.readTerms([{ ...strangerAt(7), token }], signal)
    answerOf = () => refusal('internal error')
    asked = []
    for (let minute = 0; minute < 2_000; minute++) {
      if (!reader.isRefused(curve, 'unknown')) await reservesOf(reader, 7)
      nowMs += 60_000
    }
    expect(asked.length).to.be.within(8, 10)
  })

  it('believes in the launch of a stranger that it refused', async () => {
    answerOf = () => '0x'
    const reader = read()
    await reservesOf(reader, 7)
    expect(reader.isRefused(curve, 'unknown')).to.equal(true)
    expect(reader.isRefused(curve, 'launch')).to.equal(false)
  })
})
