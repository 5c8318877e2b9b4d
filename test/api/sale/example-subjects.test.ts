import { expect } from 'chai'
import { createExampleSubjects, pathWith } from '../../../api/sale/example-subjects.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chatsStage } from '../../../schemas/chats/stage.ts'
import type { Stage } from '../../../schemas/stage.ts'
import { fixedCut } from '../../support/fixed-queries.ts'
import { toyRoute } from '../documents/toy-route.ts'

describe('the subject in the URL of a route', () => {
  let nowMs: number
  let looks: number
  let tracked: string | null
  let fails: boolean
  const cut = { atMs: fixedCut.atMs, stages: { 'chain-a': fixedCut } } as unknown as Cut
  const example = async () => {
    looks += 1
    if (fails) throw new RangeError('a read fails')
    return tracked
  }
  const { subject } = toyRoute
  if (!subject) throw new TypeError('the route has no subject')
  const route = { ...toyRoute, subject: { ...subject, tracked: { ...subject.tracked, example } } }
  const subjectsNow = () => createExampleSubjects({ answers: { newestCut: async () => cut }, nowMs: () => nowMs })

  beforeEach(() => {
    ;[nowMs, looks, tracked, fails] = [0, 0, '0xab', false]
  })

  it('is one that the service tracks, and is looked for once a minute for all clients', async () => {
    const subjects = subjectsNow()
    expect(subjects.lastFound(route)).to.equal(null)
    expect(await Promise.all([subjects.find(route), subjects.find(route)])).to.deep.equal([
      { id: '0xab' },
      { id: '0xab' },
    ])
    tracked = '0xcd'
    nowMs = 59_999
    expect([await subjects.find(route), subjects.lastFound(route), looks]).to.deep.equal([
      { id: '0xab' },
      { id: '0xab' },
      1,
    ])
    nowMs = 60_000
    expect([await subjects.find(route), subjects.lastFound(route), looks]).to.deep.equal([
      { id: '0xcd' },
      { id: '0xcd' },
      2,
    ])
  })

  it('is looked for again after five seconds while the service tracks nothing', async () => {
    const subjects = subjectsNow()
    tracked = null
    expect(await subjects.find(route)).to.equal(null)
    tracked = '0xab'
    nowMs = 4_999
    expect(await subjects.find(route)).to.equal(null)
    nowMs = 5_000
    expect(await subjects.find(route)).to.deep.equal({ id: '0xab' })
  })

  it('stays the last one while the tables cannot be read', async () => {
    const subjects = subjectsNow()
    await subjects.find(route)
    fails = true
    nowMs = 60_000
    expect(await subjects.find(route)).to.deep.equal({ id: '0xab' })
  })

  it('is looked for at a cut of all stages that the answer depends on, not only of its own', async () => {
    const [own] = route.dependsOn
    if (!own) throw new TypeError('the route depends on no stage')
    const dependsOn = [own, { ...own, stage: chatsStage }] as const
    const asked: (readonly string[])[] = []
    const newestCut = async (stages: readonly Stage[]) => {
      asked.push(stages.map(({ name }) => name))
      return cut
    }
    await createExampleSubjects({ answers: { newestCut }, nowMs: () => nowMs }).find({ ...route, dependsOn })
    expect(asked).to.deep.equal([[own.stage.name, chatsStage.name]])
  })

  it('is not needed by a route without one', async () => {
    const { subject: _, ...plain } = route
    expect(await subjectsNow().find(plain)).to.deep.equal({})
    expect(looks).to.equal(0)
  })

  it('is put into the path of the route', () => {
    expect(pathWith(route, { id: '0xab' })).to.equal('/v1/toy/0xab/things')
    expect(pathWith(route, {})).to.equal('/v1/toy/{id}/things')
  })
})
