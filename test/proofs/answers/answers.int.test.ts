import { expect } from 'chai'
import { bentRules } from '../../support/oracle/chain-b/bent-rules.ts'
import { bentCopyRules } from './bent-copy-rules.ts'
import { planOf } from './plan.ts'
import { prove } from './prove.ts'

const hourMs = 3_600_000

/** `npm run answers` does the same over a whole simulated day, with all rules of `bentRules`. */
describe('the routes of chain B, over hours of the simulated market and mints on the bounds of the rules', () => {
  it('sell field by field what an oracle finds in the facts, and other rules would be seen', async () => {
    const { plan, cuts, hourlyCuts } = planOf({ lengthMs: 4.8 * hourMs, edgesAfterMs: 4.1 * hourMs })
    const { routes, differences, bursts, graduations, unseen } = await prove({
      plan,
      // Two times at which the answers are compared. The first is after the signals and before the later
      // values, and the second is at the end.
      cuts: [...cuts.slice(1, 2), ...cuts.slice(-1)],
      hourlyCuts: hourlyCuts.slice(-1),
      bentRules: bentRules.slice(0, 1),
      bentCopyRules: bentCopyRules.slice(0, 1),
      print: () => {},
    })
    expect(differences).to.deep.equal([])
    expect(routes).to.have.lengthOf(7)
    expect(bursts).to.be.greaterThan(80)
    expect(graduations).to.be.greaterThan(25)
    expect(unseen).to.deep.equal([])
  })
})
