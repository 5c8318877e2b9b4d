import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { accepted, strayEntries } from './accepted.ts'
import { instrument, type Mutant } from './mutants.ts'

async function changesOf(file: string, text: string): Promise<readonly string[]> {
  const { mutants } = await instrument(new Map([[file, text]]))
  return mutants.map(({ line, original, replacement }) => `${line}: ${original} -> ${replacement}`)
}

const idsOf = async (text: string): Promise<readonly string[]> =>
  (await instrument(new Map([['api/a.ts', text]]))).mutants.map(({ id }: Mutant) => id)

describe('the mutants of a file', () => {
  it('change a number to one more, and a bound to one less as well', async () => {
    expect(await changesOf('api/a.ts', 'export const countMax = 12\nexport const price = 10n')).to.deep.equal([
      '1: 12 -> 13',
      '2: 10n -> 11n',
    ])
    expect(await changesOf('api/a.ts', 'export const limit = { max: 500 }')).to.deep.equal([
      '1: { max: 500 } -> {}',
      '1: 500 -> 501',
      '1: 500 -> 499',
    ])
  })

  it('leave a pace of machinery as it is, and change a duration of a rule', async () => {
    const text = 'export const pauseMs = 2 * 500'
    expect(await changesOf('processors/runtime/a.ts', text)).to.deep.equal(['1: 2 * 500 -> 2 / 500'])
    expect(await changesOf('processors/chain-a/a.ts', text)).to.include('1: 500 -> 501')
  })

  it('leave texts for people as they are, and change codes', async () => {
    const text =
      "throw new OperationError('no_answer', 'it is late')\nlogger.warn({ late: true }, 'it is late')\nits.logger?.warn({ late: true }, 'it is late')"
    expect(await changesOf('api/a.ts', text)).to.deep.equal([
      '1: \'no_answer\' -> ""',
      '3: its.logger?.warn -> its.logger.warn',
    ])
  })

  it('leave the descriptions of fields as they are', async () => {
    const text = "signal(count, 'how many there are', read)\npost.seconds(count, 'how many there are', read)"
    expect(await changesOf('api/a.ts', text)).to.deep.equal([])
  })

  it('leave out the branch that the types leave nothing for', async () => {
    const text =
      'switch (a) {\n  default:\n    return a satisfies never\n}\nswitch (b) {\n  default:\n    b satisfies never\n}'
    expect(await changesOf('api/a.ts', `function f(a: never, b: never) {\n${text}\n}`)).to.deep.equal([
      `1: { ${text.replace(/\s+/g, ' ')} } -> {}`,
    ])
  })

  it('keep their ids when lines come before them, and get others when their own line changes', async () => {
    const text = 'export const a = (b: number) => b > 1'
    expect(await idsOf(`// A line.\n${text}`)).to.deep.equal(await idsOf(text))
    expect(await idsOf(text.replace('b > 1', 'b > 2'))).to.not.include.members(await idsOf(text))
  })

  it('have ids of their own where one line holds the same change twice', async () => {
    const ids = await idsOf('export const a = [1 + 1, 1 + 1]')
    expect(new Set(ids).size).to.equal(ids.length)
  })
})

describe('the list of accepted mutants', () => {
  it('names mutants that are there, with a reason', async () => {
    const files = accepted.map(({ file }) => file)
    const { mutants } = await instrument(new Map(files.map((file) => [file, readFileSync(file, 'utf8')])))
    expect(strayEntries(accepted, files, mutants)).to.deep.equal([])
    expect(accepted.filter(({ reason }) => reason.length < 10)).to.deep.equal([])
  })

  it('is refused for a mutant that is gone', async () => {
    const { mutants } = await instrument(new Map([['api/a.ts', 'export const a = 1']]))
    const list = [
      { file: 'api/a.ts', reason: 'it is so', mutants: { '0badcafe': '2 -> 3', [mutants[0]!.id]: '1 -> 2' } },
    ]
    expect(strayEntries(list, ['api/a.ts'], mutants)).to.deep.equal(['0badcafe api/a.ts  2 -> 3'])
  })
})
