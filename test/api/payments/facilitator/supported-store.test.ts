import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FacilitatorClient } from '@x402/core/server'
import type { SupportedResponse } from '@x402/core/types'
import { expect } from 'chai'
import { createSupportedStore, rememberSupported } from '../../../../api/payments/facilitator/supported-store.ts'
import { purchaseWorld, said } from '../purchase-world.ts'

const network = 'eip155:8453' as const
const supportedOf = (extra: object): SupportedResponse => ({
  ...{ kinds: [{ x402Version: 2, scheme: 'exact', network, extra: { ...extra } }] },
  ...{ extensions: [], signers: {} },
})

describe('what a facilitator supports', () => {
  const world = purchaseWorld()
  let dataDir: string
  let facilitator: { answer: SupportedResponse | 'late' | null; asked: number }
  let answerLate: (answer: SupportedResponse) => void
  let warned: string[]

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-supported-'))
    facilitator = { answer: supportedOf({}), asked: 0 }
    warned = []
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const real: FacilitatorClient = {
    verify: async () => ({ isValid: true }),
    settle: async () => expect.fail(),
    getSupported: async () => {
      facilitator.asked += 1
      if (facilitator.answer === null) throw new TypeError('fetch failed')
      if (facilitator.answer === 'late')
        return new Promise((resolve) => {
          answerLate = resolve
        })
      return facilitator.answer
    },
  }
  /** Returns the link to the facilitator, as it is directly after a start of the service. */
  const start = (folder = dataDir, untilLate = () => new Promise<void>(() => {})) => {
    const { nowMs } = world.clock
    const logger = { warn: (...[, text]: [unknown, string?]) => void warned.push(text ?? '') }
    return rememberSupported(real, createSupportedStore(folder, 'a', nowMs), { nowMs, logger, untilLate })
  }
  const failureOf = (asked: Promise<unknown>) =>
    asked.then(
      () => null,
      (error: Error) => error.message,
    )

  it('is offered after a restart while it is away, until it is asked again', async () => {
    const kept = await start().getSupported()
    facilitator.answer = null
    const restarted = start()
    expect(await restarted.getSupported()).to.deep.equal(kept)
    expect(warned).to.deep.equal([
      'a facilitator did not answer which payments it supports. The service uses the last stored answer until the facilitator answers',
    ])
    expect(await failureOf(restarted.getSupported())).to.equal('fetch failed')
  })

  it('is offered after a restart while it is late, and nothing is where it was never heard', async () => {
    const kept = await start().getSupported()
    facilitator.answer = 'late'
    const soon = async () => {}
    expect(await start(dataDir, soon).getSupported()).to.deep.equal(kept)
    expect(await failureOf(start(join(dataDir, 'another'), soon).getSupported())).to.include('timed out')
  })

  it('is waited for after the first question, however late it is', async () => {
    const restarted = start(dataDir, async () => {})
    await restarted.getSupported()
    facilitator.answer = 'late'
    const asked = restarted.getSupported()
    await new Promise((resolve) => setImmediate(resolve))
    answerLate(supportedOf({ feePayer: 'a late one' }))
    expect(await asked).to.deep.equal(supportedOf({ feePayer: 'a late one' }))
  })

  it('is what it said last', async () => {
    const first = start()
    await first.getSupported()
    facilitator.answer = supportedOf({ feePayer: 'another' })
    await first.getSupported()
    facilitator.answer = null
    expect(await start().getSupported()).to.deep.equal(supportedOf({ feePayer: 'another' }))
  })

  it('is complete in a draft before the draft replaces it: a failed draft leaves the last answer', async () => {
    const first = start()
    const kept = await first.getSupported()
    await mkdir(join(dataDir, 'facilitators', 'a.json.new'))
    facilitator.answer = supportedOf({ feePayer: 'another' })
    await first.getSupported()
    facilitator.answer = null
    expect(await start().getSupported()).to.deep.equal(kept)
  })

  it('is written once an hour while it stays the same, so that it stays young', async () => {
    const file = join(dataDir, 'facilitators', 'a.json')
    const first = start()
    await first.getSupported()
    const written = await readFile(file, 'utf8')
    world.clock.advance(3_599_000)
    await first.getSupported()
    expect(await readFile(file, 'utf8')).to.equal(written)
    world.clock.advance(1_000)
    await first.getSupported()
    expect(await readFile(file, 'utf8')).to.not.equal(written)
    expect(await readdir(join(dataDir, 'facilitators'))).to.deep.equal(['a.json'])
  })

  it('is not believed after a day', async () => {
    await start().getSupported()
    facilitator.answer = null
    world.clock.advance(86_400_000)
    expect(await failureOf(start().getSupported())).to.equal(null)
    world.clock.advance(1)
    expect(await failureOf(start().getSupported())).to.equal('fetch failed')
  })

  for (const text of [
    '',
    '{"atMs":1',
    '{"atMs":"1","supported":{}}',
    `{"atMs":${Number.MAX_SAFE_INTEGER},"supported":{}}`,
  ])
    it(`is not taken from a broken file: ${text}`, async () => {
      await start().getSupported()
      await writeFile(join(dataDir, 'facilitators', 'a.json'), text)
      facilitator.answer = null
      expect(await failureOf(start().getSupported())).to.equal('fetch failed')
    })

  it('is used where it cannot be kept', async () => {
    const file = join(dataDir, 'a-file')
    await writeFile(file, '')
    expect(await start(file).getSupported()).to.deep.equal(facilitator.answer)
    expect(warned).to.deep.equal([
      'the service could not store which payments a facilitator supports. The next start has to ask the facilitator',
    ])
  })

  it('makes a restarted shop quote prices while the facilitator is away, and close when it stays away', async () => {
    await start().getSupported()
    facilitator.answer = null
    await world.gate.close()
    await world.open({ facilitators: [start()] })
    const resource = { routeId: 'r', requestId: 'r', priceUsdMicros: 1, description: 'd', resourcePath: '/' }
    expect((await world.gate.requirePayment(resource)).kind).to.equal('paymentRequired')
    await world.gate.refresh()
    expect(said(await world.gate.requirePayment(resource))).to.equal('facilitator_down 5')
  })
})
