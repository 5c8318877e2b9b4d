import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { OperationError } from '../../../infra/errors.ts'
import { type CodeReader, createCodes } from '../../../ingest/mentions/codes.ts'
import { evmOf } from './build-post.ts'

const minuteMs = 60_000

describe('whether there is a contract at an address', () => {
  let nowMs: number
  let asked: string[]
  let stop: AbortController
  beforeEach(() => {
    nowMs = 0
    asked = []
    stop = new AbortController()
  })
  afterEach(() => stop.abort())

  const open = (
    answer: CodeReader,
    limits: Readonly<{ perMinMax?: number; openMax?: number; limitMs?: number }> = {},
  ) =>
    createCodes({
      read: (address, signal) => {
        asked.push(address)
        return answer(address, signal)
      },
      ...{ nowMs: () => nowMs, signal: stop.signal, ...limits },
    })
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }
  const hangs: CodeReader = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  it('is asked once, and known from the answer on', async () => {
    const codes = open(async (address) => address === evmOf(1))
    expect([codes.of(evmOf(1)), codes.areAsked([evmOf(1), evmOf(2)])]).to.deep.equal([null, false])
    await settled()
    expect(codes.areAsked([evmOf(1), evmOf(2)])).to.equal(true)
    expect([evmOf(1), evmOf(2), evmOf(3)].map(codes.of)).to.deep.equal([true, false, null])
    expect(asked).to.deep.equal([evmOf(1), evmOf(2)])
  })

  it('is asked again after a minute where there was none: one may have come', async () => {
    const codes = open(async () => nowMs > 0)
    codes.areAsked([evmOf(1)])
    await settled()
    nowMs = minuteMs
    expect([codes.areAsked([evmOf(1)]), codes.of(evmOf(1))]).to.deep.equal([true, false])
    nowMs = minuteMs + 1
    expect(codes.areAsked([evmOf(1)])).to.equal(false)
    await settled()
    nowMs = 100 * minuteMs
    expect([codes.areAsked([evmOf(1)]), codes.of(evmOf(1)), asked.length]).to.deep.equal([true, true, 2])
  })

  for (const [what, answer] of [
    ['fails', async () => Promise.reject(new OperationError('node_unreachable', 'away'))],
    ['hangs', hangs],
  ] as const)
    it(`is not known where the node ${what}, and nobody waits for it`, async () => {
      const codes = open(answer, { limitMs: 20 })
      expect(codes.areAsked([evmOf(1)])).to.equal(false)
      await new Promise((resolve) => setTimeout(resolve, 60))
      expect([codes.areAsked([evmOf(1)]), codes.of(evmOf(1)), asked.length]).to.deep.equal([true, null, 1])
    })

  it('is asked of so many addresses a minute, however many are written', async () => {
    const codes = open(async () => true, { perMinMax: 3 })
    const many = Array.from({ length: 10 }, (_, index) => evmOf(index))
    for (let time = 0; time < 5; time++) {
      codes.areAsked(many)
      await settled()
    }
    expect(asked).to.deep.equal(many.slice(0, 3))
    expect([codes.areAsked(many), many.map(codes.of).slice(2, 4)]).to.deep.equal([true, [true, null]])
    nowMs = minuteMs + 1
    codes.areAsked(many)
    expect(asked.length, 'the next minute').to.equal(6)
  })

  it('is asked of twenty at a time and of 120 a minute, if nothing else is set', async () => {
    const many = Array.from({ length: 200 }, (_, index) => evmOf(index))
    open(hangs).areAsked(many)
    expect(asked).to.have.lengthOf(20)
    asked = []
    const codes = open(async () => true)
    for (let first = 0; first < 200; first += 20) {
      codes.areAsked(many.slice(first, first + 20))
      await settled()
    }
    expect(asked).to.have.lengthOf(120)
  })

  it('is remembered of ten thousand addresses: the ones learnt first are forgotten', async () => {
    const codes = open(async () => true, { perMinMax: 20_000, openMax: 20_000 })
    const many = Array.from({ length: 10_001 }, (_, index) => evmOf(index))
    codes.areAsked(many.slice(0, 10_000))
    await settled()
    expect([codes.of(many[0] ?? ''), codes.of(many[9_999] ?? '')]).to.deep.equal([true, true])
    codes.areAsked(many.slice(10_000))
    await settled()
    expect([0, 1, 10_000].map((index) => codes.of(many[index] ?? ''))).to.deep.equal([null, true, true])
  })

  it('is asked of so many at a time', () => {
    const codes = open(hangs, { openMax: 2 })
    expect(codes.areAsked([evmOf(1), evmOf(2), evmOf(3)])).to.equal(false)
    expect([codes.areAsked([evmOf(3)]), codes.of(evmOf(3)), asked.length]).to.deep.equal([true, null, 2])
  })
})
