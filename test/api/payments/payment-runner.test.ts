/**
 * Tests what happens if other payments or the ledger change something while a payment's payer is being
 * checked.
 */
import { expect } from 'chai'
import type { ChainFinding } from '../../../api/payments/payment-network.ts'
import { requestFor } from '../../support/payments/paid-service.ts'
import { lost, purchaseWorld, said, settled, transaction } from './purchase-world.ts'

describe('a payment whose payer is checked, because it names an earlier purchase', () => {
  const world = purchaseWorld()
  const named = () =>
    world.payWith({ extensions: { 'payment-identifier': { info: { required: false, id: 'purchase-of-today-1' } } } })
  const buy = async (run: number, overrides: Parameters<typeof requestFor>[1] = {}) => {
    const buildBody = async () => ({ bytes: Buffer.from(`{"run":${run}}`), cutAtMs: 1_000 + run })
    const outcome = await world.gate.run(requestFor(named(), { buildBody, ...overrides }))
    return outcome.kind === 'paid' ? outcome.bytes.toString() : said(outcome)
  }
  /** Runs `work` during the first check only. */
  const onceWhileChecking = (work: () => Promise<void>) => {
    world.whileChecking = async () => {
      world.whileChecking = async () => {}
      await work()
    }
  }
  const settlements = () => world.calls.filter((call) => call === 'settle').length

  const findings: readonly (readonly [name: string, finding: ChainFinding, expected: string])[] = [
    ['is charged itself if the earlier one turns out meanwhile never to arrive', { kind: 'expired' }, '{"run":2}'],
    [
      'gets the answer if the earlier one turns out meanwhile to have arrived',
      { kind: 'paid', transaction },
      '{"run":1}',
    ],
  ]
  for (const [name, finding, expected] of findings)
    it(name, async () => {
      world.facilitator.settle = lost
      expect(await buy(1)).to.equal('outcome_unknown 2')
      const before = settlements()
      world.facilitator.settle = settled
      onceWhileChecking(async () => {
        world.chain.finding = finding
        await world.gate.reconcile()
      })
      expect(await buy(2)).to.equal(expected)
      expect(settlements() - before).to.equal(expected === '{"run":2}' ? 1 : 0)
      expect(world.ledger.unresolved()).to.deep.equal([])
    })

  it('waits for a repeat that began meanwhile, so that the answer is built once at a time', async () => {
    await buy(1)
    await world.open()
    const building = { now: 0, most: 0, count: 0 }
    const rebuildBody = async () => {
      building.now += 1
      building.count += 1
      building.most = Math.max(building.most, building.now)
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
      building.now -= 1
      return Buffer.from('{"run":1}')
    }
    const answers = await Promise.all([2, 3, 4].map((run) => buy(run, { rebuildBody })))
    expect(answers).to.deep.equal(Array(3).fill('{"run":1}'))
    expect(building.count).to.be.above(0)
    expect(building.most).to.equal(1)
    expect(settlements()).to.equal(1)
  })

  it('is told to come again if the purchase changes during each of five checks', async () => {
    world.facilitator.settle = lost
    await buy(1)
    const [paymentId] = world.ledger.unresolved().map((change) => change.paymentId)
    const known = () => world.ledger.find(paymentId ?? '') ?? expect.fail('it is known')
    let checks = 0
    world.whileChecking = async () => {
      checks += 1
      await world.ledger.record({ ...known(), reason: `check ${checks}` })
    }
    expect(await buy(2)).to.equal('too_many_at_once 1')
    expect(checks).to.equal(5)
  })
})
