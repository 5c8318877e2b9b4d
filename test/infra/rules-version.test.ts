import { expect } from 'chai'
import { parseRules } from '../../infra/parse-rules.ts'
import { rulesVersionsOf, withoutEffectOnRecords } from '../../infra/rules-version.ts'
import { createChainA, createChainB } from '../../processors/stages.ts'
import { rulesVersion as chainAVersion } from '../../schemas/chain-a/rules.ts'
import { rulesVersion as chainBVersion } from '../../schemas/chain-b/rules.ts'
import { defaultRules } from '../../schemas/rules.ts'

const versionsOf = (said: unknown) => rulesVersionsOf(parseRules(JSON.stringify(said), 'test'))
const stagesOf = (said: unknown) => {
  const rules = parseRules(JSON.stringify(said), 'test')
  return [createChainA(rules).stage, createChainB(rules).stage]
}

describe('rules of queries', () => {
  const withoutEffect = (said: unknown) => withoutEffectOnRecords(parseRules(JSON.stringify(said), 'test'))

  it('are told of a file, and those of records are not', () => {
    const said = {
      ...{ callers: { kMin: 6 }, leaders: { listMax: 49 }, verdicts: { chainB: { gate: { lpLockedShare: 0.8 } } } },
      calls: { buyersAfterMs: 6000, watchMs: 3_600_000, hits: { hitRet: 0.2, winRet: 0.4 } },
    }
    expect(withoutEffect(said)).to.have.members([
      ...['callers.kMin', 'leaders.listMax', 'verdicts.chainB.gate.lpLockedShare'],
      ...['calls.buyersAfterMs', 'calls.hits.hitRet'],
    ])
  })

  it('that have their default are not told', () =>
    expect(withoutEffect({ callers: { kMin: 5 }, desk: { twinsMax: 20 } })).to.deep.equal([]))
})

describe('the version of rules', () => {
  it('is the name of the default, for stages too', () => {
    expect(rulesVersionsOf(defaultRules)).to.deep.equal({ 'chain-a': chainAVersion, 'chain-b': chainBVersion })
    expect(stagesOf({}).map(({ hasOtherRules }) => hasOtherRules ?? false)).to.deep.equal([false, false])
  })

  it('of others has the name and a hash, on the stages that they change', () => {
    const ofA = versionsOf({ chainA: { bursts: { refireMs: 1 } } })
    expect(ofA['chain-a']).to.match(new RegExp(`^${chainAVersion}\\+[0-9a-f]{8}$`))
    expect(ofA['chain-b']).to.equal(chainBVersion)
    const ofBoth = versionsOf({ calls: { watchMs: 3_600_000 } })
    expect(ofBoth['chain-a']).to.match(/\+/)
    expect(ofBoth['chain-b']).to.match(/\+/)
    expect(versionsOf({ leaders: { listMax: 10 } })).to.deep.equal(rulesVersionsOf(defaultRules))
  })

  it('is that of the values alone: their order and what is said twice do not matter', () => {
    const one = versionsOf({ desk: { shadowMs: 7_200_000, twinSlotMs: 60_000 } })
    expect(versionsOf({ desk: { twinSlotMs: 60_000, shadowMs: 7_200_000, twinsMax: 20 } })).to.deep.equal(one)
    expect(versionsOf({ desk: { twinSlotMs: 61_000, shadowMs: 7_200_000 } })).to.not.deep.equal(one)
  })

  it('is that of its stage, which says that it has other rules', () => {
    const said = { desk: { shadowMs: 7_200_000 } }
    const { 'chain-a': ofA, 'chain-b': ofB } = versionsOf(said)
    expect(stagesOf(said).map(({ rulesVersion }) => rulesVersion)).to.deep.equal([ofA, ofB])
    expect(stagesOf(said).map(({ hasOtherRules }) => hasOtherRules)).to.deep.equal([true, true])
  })
})
