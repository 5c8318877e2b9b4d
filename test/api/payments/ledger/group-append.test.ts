import { expect } from 'chai'
import { createGroupAppend } from '../../../../api/payments/ledger/group-append.ts'

describe('a group append', () => {
  it('takes what comes in one turn together, and what comes meanwhile in the next', async () => {
    const groups: string[][] = []
    let later: Promise<void> | null = null
    const group = createGroupAppend<string>(async (items) => {
      groups.push([...items])
      later ??= group.append('later')
    })
    await Promise.all(['a', 'b', 'c'].map((item) => group.append(item)))
    await later
    expect(groups).to.deep.equal([['a', 'b', 'c'], ['later']])
  })

  it('resolves only once its append has, and never runs two', async () => {
    const release: (() => void)[] = []
    const group = createGroupAppend<string>(() => new Promise((resolve) => release.push(resolve)))
    const done: string[] = []
    const first = group.append('first').then(() => done.push('first'))
    while (release.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const second = group.append('second').then(() => done.push('second'))
    await new Promise((resolve) => setImmediate(resolve))
    expect([release.length, done]).to.deep.equal([1, []])
    release[0]?.()
    await first
    while (release.length === 1) await new Promise((resolve) => setImmediate(resolve))
    expect(done).to.deep.equal(['first'])
    release[1]?.()
    await second
  })

  it('fails everybody of the append that failed and nobody else', async () => {
    let isDown = true
    const group = createGroupAppend<string>(async () => {
      if (isDown) throw new RangeError('down')
    })
    const failed = await Promise.allSettled([group.append('a'), group.append('b')])
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    isDown = false
    await group.append('c')
    await group.flush()
  })

  it('lets what can wait go with what cannot, or with a flush', async () => {
    const groups: string[][] = []
    const group = createGroupAppend<string>(async (items) => {
      groups.push([...items])
    })
    const early = group.appendWithNext('early')
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(groups).to.deep.equal([])
    await group.append('urgent')
    await early
    const late = group.appendWithNext('late')
    await group.flush()
    await late
    await group.flush()
    expect(groups).to.deep.equal([['early', 'urgent'], ['late']])
  })

  it('does not append what can wait only because it came during an append', async () => {
    const groups: string[][] = []
    let waits: Promise<void> | null = null
    const group = createGroupAppend<string>(async (items) => {
      groups.push([...items])
      waits ??= group.appendWithNext('during')
    })
    await group.append('first')
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(groups).to.deep.equal([['first']])
    await group.append('next')
    await waits
    expect(groups).to.deep.equal([['first'], ['during', 'next']])
  })

  it('is flushed with what came during its append', async () => {
    const groups: string[][] = []
    let flushed: Promise<void> | null = null
    const group = createGroupAppend<string>(async (items) => {
      groups.push([...items])
      if (flushed) return
      void group.appendWithNext('during')
      flushed = group.flush()
    })
    await group.append('first')
    await flushed
    expect(groups).to.deep.equal([['first'], ['during']])
  })

  it('is flushed with what comes after the flush, while its append runs', async () => {
    const groups: string[][] = []
    const release: (() => void)[] = []
    const group = createGroupAppend<string>(async (items) => {
      groups.push([...items])
      await new Promise<void>((resolve) => release.push(resolve))
    })
    void group.append('first')
    while (release.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const flushed = group.flush()
    const during = group.appendWithNext('during')
    release[0]?.()
    while (release.length === 1) await new Promise((resolve) => setImmediate(resolve))
    release[1]?.()
    await Promise.all([flushed, during])
    expect(groups).to.deep.equal([['first'], ['during']])
  })
})
