import { expect } from 'chai'
import { isOperationError } from '../../../../infra/errors.ts'
import { marketOf, plansOf } from '../../../../ingest/chain-b/simulated/plan.ts'
import { createSimulatedRugCheck } from '../../../../ingest/chain-b/simulated/rug-check.ts'
import { never } from './tell.ts'

const market = marketOf({ seed: 3 })
const provider = createSimulatedRugCheck(market)

describe('the simulated provider of rug checks', () => {
  it('finds mints that are rugged, that can be minted or frozen, with unlocked liquidity, and not looked at', async () => {
    const keys = [480_000, 480_001, 480_002].flatMap((cohort) => plansOf(market, cohort)).map(({ key }) => key)
    const reports = await Promise.all(keys.map((key) => provider.check(key, never)))
    const shareOf = (isOne: (report: (typeof reports)[number]) => boolean) =>
      reports.filter(isOne).length / reports.length
    expect(shareOf(({ isRugged }) => isRugged === true)).to.be.within(0.01, 0.07)
    expect(shareOf(({ mintAuthority }) => mintAuthority !== null)).to.be.within(0.01, 0.08)
    expect(shareOf(({ freezeAuthority }) => freezeAuthority !== null)).to.be.within(0.02, 0.09)
    expect(shareOf(({ lpLockedShare }) => (lpLockedShare ?? 0) < 0.9)).to.be.within(0.3, 0.5)
    const isNothing = ({ risks, ...said }: (typeof reports)[number]) =>
      risks.length === 0 && Object.values(said).every((value) => value === null)
    expect(shareOf(isNothing), 'not looked at').to.be.within(0.01, 0.08)
    expect(await provider.check(keys[0]!, never)).to.deep.equal(reports[0])
  })

  it('knows no mint of another chain', async () => {
    const [stranger] = plansOf(marketOf({ seed: 4 }), 480_000)
    const thrown = await provider.check(stranger!.key, never).catch((error: unknown) => error)
    expect(isOperationError(thrown, 'provider_failed')).to.equal(true)
  })
})
