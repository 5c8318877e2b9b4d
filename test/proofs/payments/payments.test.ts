/** A sample of `npm run payments`, and tests that show that the proof can fail. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createMemoryLog } from '../../../infra/log/memory/memory-log.ts'
import { brokenPromises } from './history.ts'
import { planOf } from './plan.ts'
import type { World } from './play.ts'
import { playAlone, smallest } from './prove.ts'
import { sabotages } from './sabotages.ts'

describe('payments in any order of copies, hang-ups, crashes and faults', () => {
  it('move money once at most, buy one answer, and can be cashed in for ten minutes, across restarts', async () => {
    const sum = { transfers: 0, cashedIn: 0 }
    for (let seed = 1; seed <= 30; seed++) {
      const history = await playAlone(planOf(seed))
      expect(brokenPromises(history), `seed ${seed}`).to.deep.equal([])
      sum.transfers += history.transfers.length
      sum.cashedIn += history.cashedIn.length
    }
    // The test is worth something only if money moved.
    expect(sum.transfers).to.be.greaterThan(20)
    expect(sum.cashedIn).to.be.greaterThan(40)
  })

  it('go the same way for the same seed', async () => {
    const told = async () =>
      (await playAlone(planOf(3))).told.map(({ toldAtMs, outcome }) => `${toldAtMs} ${outcome.kind}`)
    expect(await told()).to.deep.equal(await told())
  })

  let answers = 0
  const mistakes: Readonly<Record<string, readonly [Partial<World>, RegExp]>> = {
    'known by the bytes that were sent': [
      {
        sabotage: ({ networks, ...surroundings }) => ({
          ...surroundings,
          networks: networks.map((network) => ({
            ...network,
            identify: (payload) => {
              const identity = network.identify(payload)
              return 'refusal' in identity
                ? identity
                : { ...identity, paymentId: `${identity.paymentId}|${JSON.stringify(payload.payload)}` }
            },
          })),
        }),
      },
      /several bodies|not cashed in/,
    ],
    'forgotten by a restart': [
      { sabotage: (surroundings) => ({ ...surroundings, log: createMemoryLog({ nowMs: surroundings.time.nowMs }) }) },
      /not cashed in|several bodies/,
    ],
    'answered anew at each repeat': [
      { bytesAt: (requestId, cutAtMs) => Buffer.from(`${requestId} ${cutAtMs} ${++answers}`) },
      /several bodies/,
    ],
  }
  for (const [name, [changes, said]] of Object.entries(mistakes))
    it(`are seen to break a promise when they are ${name}`, async () => {
      const found: string[] = []
      for (let seed = 1; seed <= 40 && found.length === 0; seed++)
        found.push(...brokenPromises(await playAlone(planOf(seed), changes)))
      expect(found.join()).to.match(said)
    })

  it('are told in as few steps as break a promise', async () => {
    const plan = planOf(3)
    const needed = plan.steps[1]
    const least = await smallest(plan, async ({ steps }) => (steps.includes(needed as never) ? ['broken'] : []))
    expect(least.steps).to.deep.equal([needed])
  })

  it('can be sabotaged in the code as it is', () => {
    for (const { name, file, text, instead } of sabotages) {
      expect(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split(text), name).to.have.length(2)
      expect(instead, name).not.to.equal(text)
    }
  })
})
