import { expect } from 'chai'
import { drawChanges } from './draw.ts'

const texts = new Map([
  ['api/many.ts', Array.from({ length: 90 }, (_, at) => `export const a${at} = ${at}`).join('\n')],
  ['api/few.ts', Array.from({ length: 10 }, (_, at) => `// A comment.\nexport const b${at} = ${at}`).join('\n')],
])

const draw = async (count: number, seed: number) =>
  (await drawChanges(texts, { count, seed })).map(({ file, line }) => `${file}:${line}`)

describe('drawn changes', () => {
  it('are the same for a seed, and others for another one', async () => {
    expect(await draw(5, 1)).to.deep.equal(await draw(5, 1))
    expect(await draw(5, 1)).to.not.deep.equal(await draw(5, 2))
  })

  it('begin with the same ones where more are drawn', async () => {
    expect((await draw(20, 3)).slice(0, 5)).to.deep.equal(await draw(5, 3))
  })

  it('come from a file as often as it has lines of code', async () => {
    const drawn = (await Promise.all([1, 2, 3, 4, 5].map((seed) => draw(20, seed)))).flat()
    const ofFew = drawn.filter((place) => place.startsWith('api/few.ts')).length
    expect(ofFew).to.be.within(3, 20)
  })

  it('are never two of the same line, and no more than there are', async () => {
    const all = await draw(1000, 1)
    expect(all).to.have.length(100)
    expect(new Set(all).size).to.equal(100)
  })
})
