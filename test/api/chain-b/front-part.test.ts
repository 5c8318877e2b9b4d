import { expect } from 'chai'
import { createFrontPart } from '../../../api/chain-b/front-part.ts'
import { hourMs, minuteMs } from '../../../schemas/units.ts'
import {
  chainBCut,
  createFixedChainBQueries,
  fixedBurst,
  fixedGraduation,
} from '../../support/chain-b/fixed-queries.ts'

const nowMs = chainBCut.blockAtMs
const missing = { trades: 1, volume: 2, knownAtMs: nowMs }

describe('chain B on the front page', () => {
  const { rows, queries } = createFixedChainBQueries()
  const presentation = { chainName: 'chainB', ruleIdSecret: 'a', callerIdSecret: 'b' }
  const part = createFrontPart({ queries, presentation })
  const burst = (mint: string, changes: object = {}) => ({
    ...{ ...fixedBurst, mint, atMs: nowMs - minuteMs, launchAtMs: nowMs - 10 * minuteMs, outcome: null },
    ...changes,
  })
  const graduation = (mint: string, changes: object = {}) => ({ ...fixedGraduation, mint, ...changes })
  const columns = async () => {
    const [fresh, near, graduated] = (await part.answer(chainBCut)).columns
    return { fresh: fresh!.tokens, near: near!.tokens, graduated: graduated!.tokens }
  }
  const namesOf = (tokens: readonly Readonly<{ token: string }>[]) => tokens.map(({ token }) => token)

  beforeEach(() => {
    rows.bursts = []
    rows.graduations = []
  })

  it('lists each curve once, by its newest burst: new ones by launch, near ones by fill', async () => {
    rows.bursts = [
      burst('a', { fillAt: 0.5, launchAtMs: nowMs - 30 * minuteMs }),
      burst('b', { fillAt: 0.3, launchAtMs: nowMs - 20 * minuteMs }),
      burst('a', { fillAt: 0.26, atMs: nowMs - 2 * minuteMs, launchAtMs: nowMs - 30 * minuteMs }),
    ]
    const { fresh, near } = await columns()
    expect(namesOf(fresh)).to.deep.equal(['b', 'a'])
    expect(near.map(({ token, fill }) => [token, fill?.share])).to.deep.equal([
      ['a', 0.5],
      ['b', 0.3],
    ])
  })

  it('lists no curve that has graduated, and near graduation only those with a burst in the last hour', async () => {
    rows.bursts = [
      burst('graduated'),
      burst('completed', { outcome: { ...fixedBurst.outcome, completedAtMs: nowMs - 1 } }),
      burst('old', { atMs: nowMs - hourMs }),
      burst('recent', { atMs: nowMs - hourMs + 1 }),
    ]
    rows.graduations = [graduation('graduated')]
    const { fresh, near, graduated } = await columns()
    expect(namesOf(fresh)).to.have.members(['old', 'recent'])
    expect(namesOf(near)).to.deep.equal(['recent'])
    expect(namesOf(graduated)).to.deep.equal(['graduated'])
  })

  it('lists six tokens in a column', async () => {
    rows.bursts = [...'abcdefgh'].map((mint) => burst(mint))
    rows.graduations = [...'ijklmnop'].map((mint) => graduation(mint))
    for (const tokens of Object.values(await columns())) expect(tokens).to.have.length(6)
  })

  it('says what is known of a burst', async () => {
    rows.bursts = [
      burst('a', { anatomy: null }),
      burst('b', { gaps: missing }),
      burst('c', { anatomy: { ...fixedBurst.anatomy, holdersTop10: null } }),
    ]
    const facts = new Map((await columns()).fresh.map((token) => [token.token, token.facts]))
    expect(facts.get('a')).to.deep.equal(['+12.50 SOL in 60 s'])
    expect(facts.get('b')).to.deep.equal(['+12.50 SOL in 60 s', 'top 10 hold 30 %', 'trades are missing'])
    expect(facts.get('c')).to.deep.equal(['+12.50 SOL in 60 s'])
  })

  for (const [what, changes, facts] of [
    ['15 minutes', { post: { anchorAtMs: 1, ret1: 0.1, ret5: 0.2, ret15: -0.3 } }, ['-30 % after 15 min in the pool']],
    ['5 minutes', { post: { anchorAtMs: 1, ret1: 0.1, ret5: 0.2, ret15: null } }, ['+20 % after 5 min in the pool']],
    ['one minute', { post: { anchorAtMs: 1, ret1: 0, ret5: null, ret15: null } }, ['+0 % after 1 min in the pool']],
    ['less than a minute', { post: { anchorAtMs: 1, ret1: null, ret5: null, ret15: null } }, []],
    ['no pool yet', { post: null }, ['its pool is not open yet']],
    ['missing trades', { post: null, gaps: missing }, ['its pool is not open yet', 'trades are missing']],
  ] as const)
    it(`says how a graduated token went: ${what}`, async () => {
      rows.graduations = [graduation('a', changes)]
      expect((await columns()).graduated[0]?.facts).to.deep.equal(['after 45 min on the curve', ...facts])
    })

  it('says if the launch of a graduated token is not known', async () => {
    rows.graduations = [graduation('a', { gradMin: null, post: null })]
    expect((await columns()).graduated[0]?.facts[0]).to.equal('launched before the log')
  })

  it('has the return at the graduation, or after 20 minutes, or none yet', async () => {
    const outcome = fixedBurst.outcome
    rows.bursts = [
      burst('a', { outcome: { ...outcome, completedAtMs: nowMs, gradRet: 2, ret20m: null } }),
      burst('b', { outcome: { ...outcome, gradRet: null, ret20m: -0.5 } }),
      burst('c'),
    ]
    const { bursts } = await part.answer(chainBCut)
    expect(bursts.map(({ ret, isPulled }) => [ret, isPulled])).to.deep.equal([
      [2, false],
      [-0.5, false],
      [null, false],
    ])
    expect(bursts[0]?.text).to.equal('+12.50 SOL in 60 s, curve 45 % full, token 9 min old')
  })
})
