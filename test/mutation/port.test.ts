import { expect } from 'chai'
import { changesOf } from './changes.ts'
import { portChanges } from './port.ts'
import { type Entry, isGone, isLost, type Result, untried } from './results.ts'
import { statementsOf, surroundingsOf } from './surroundings.ts'

const text = `import { open } from './open.ts'

export function isLate(atMs: number, limitMs: number): boolean {
  return atMs > limitMs
}

export function isEarly(atMs: number, limitMs: number): boolean {
  return atMs < limitMs
}

export const sum = (values: readonly number[]): number => open(values.reduce((total, value) => total + value, 0))
`

const file = 'api/late.ts'

async function result(original: string, replacement: string, its = text): Promise<Result> {
  const change = (await changesOf(file, its)).find(
    (each) => each.original === original && each.replacement === replacement,
  )
  return { ...change!, ...surroundingsOf(change!, its, statementsOf(file, its)), ...untried, killedBy: 'a.test.ts' }
}

async function ported(entry: Entry, texts: Readonly<Record<string, string>>): Promise<Entry> {
  const [found] = await portChanges([entry], new Map(Object.entries(texts)))
  return found!
}

const placeOf = (entry: Entry): string | null => (isGone(entry) ? null : `${entry.file}:${entry.line}`)

describe('a change of another checkout', () => {
  it('is found in a file that has moved, below other lines, and is not tried yet', async () => {
    const before = await result('atMs > limitMs', 'atMs >= limitMs')
    const found = await ported(before, { 'api/edge/clock.ts': `export const other = 1\n${text}`, 'api/none.ts': '' })
    expect(placeOf(found)).to.equal('api/edge/clock.ts:5')
    expect(found).to.include({ original: 'atMs > limitMs', killedBy: null, triedCount: 0 })
    expect((found as Result).portedFrom).to.include({ file: 'api/late.ts', line: 4, killedBy: 'a.test.ts' })
  })

  it('is found where names have changed', async () => {
    const before = await result('atMs > limitMs', 'atMs >= limitMs')
    const found = await ported(before, { 'api/late.ts': text.replaceAll('limitMs', 'lastMs') })
    expect(found).to.include({ line: 4, original: 'atMs > lastMs', replacement: 'atMs >= lastMs' })
  })

  it('is found where a function that is emptied has other lines', async () => {
    const long = `export function laterOf(atMs: number, limitMs: number): number {
  const lateMs = Math.max(0, atMs - limitMs)
  if (lateMs > 1000) return lateMs
  return limitMs
}
`
    const before = await result(long.slice(long.indexOf('{'), -1), '{}', `${text}${long}`)
    const after = `${text}${long.replace('  return limitMs', '  if (lateMs === 7) return 0\n  return limitMs')}`
    expect(placeOf(await ported(before, { 'api/late.ts': after }))).to.equal('api/late.ts:12')
  })

  it('is the one in the function that is most alike', async () => {
    const before = await result('{\n  return atMs < limitMs\n}', '{}')
    expect(placeOf(await ported(before, { 'api/late.ts': text }))).to.equal('api/late.ts:7')
  })

  it('is gone if its code is gone, though the same line stands elsewhere', async () => {
    const before = await result('total + value', 'total - value')
    const other = 'export class Purse {\n  add(total: bigint, value: bigint) {\n    this.paid = total + value\n  }\n}\n'
    expect(isGone(await ported(before, { 'api/purse.ts': other }))).to.equal(true)
    expect(isGone(await ported(before, { 'api/purse.ts': 'export const a = 1' }))).to.equal(true)
  })

  it('is lost if a test noticed it there and none does here', async () => {
    const before = await result('atMs > limitMs', 'atMs >= limitMs')
    const found = (await ported(before, { 'api/late.ts': text })) as Result
    expect(isLost({ ...found, triedCount: 8 })).to.equal(true)
    expect(isLost({ ...found, triedCount: 8, killedBy: 'b.test.ts' })).to.equal(false)
    const survivor = (await ported({ ...before, killedBy: null }, { 'api/late.ts': text })) as Result
    expect(isLost({ ...survivor, triedCount: 8 })).to.equal(false)
  })
})
