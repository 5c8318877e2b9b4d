import { expect } from 'chai'
import { type Change, changesOf, makeChange } from './changes.ts'

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ')

const describedChanges = async (file: string, text: string): Promise<readonly string[]> =>
  (await changesOf(file, text)).map(
    ({ line, original, replacement }) => `${line}: ${onOneLine(original)} -> ${onOneLine(replacement)}`,
  )

describe('the changes of a file', () => {
  it('change a number to one more, and a bound to one less as well', async () => {
    expect(await describedChanges('api/a.ts', 'export const countMax = 12\nexport const price = 10n')).to.deep.equal([
      '1: 12 -> 13',
      '2: 10n -> 11n',
    ])
    expect(await describedChanges('api/a.ts', 'export const limit = { max: 500 }')).to.deep.equal([
      '1: { max: 500 } -> {}',
      '1: 500 -> 501',
      '1: 500 -> 499',
    ])
  })

  it('leave a pace of machinery as it is, and change a duration of a rule', async () => {
    const text = 'export const pauseMs = 2 * 500'
    expect(await describedChanges('processors/runtime/a.ts', text)).to.deep.equal(['1: 2 * 500 -> 2 / 500'])
    expect(await describedChanges('processors/chain-a/a.ts', text)).to.include('1: 500 -> 501')
  })

  it('leave texts for people as they are, and change codes', async () => {
    const text =
      "throw new OperationError('no_answer', 'it is late')\nlogger.warn({ late: true }, 'it is late')\nits.logger?.warn({ late: true }, 'it is late')"
    expect(await describedChanges('api/a.ts', text)).to.deep.equal([
      '1: \'no_answer\' -> ""',
      '3: its.logger?.warn -> its.logger.warn',
    ])
  })

  it('leave the descriptions of fields as they are', async () => {
    const text = "signal(count, 'how many there are', read)\npost.seconds(count, 'how many there are', read)"
    expect(await describedChanges('api/a.ts', text)).to.deep.equal([])
  })

  it('leave out the branch that the types leave nothing for', async () => {
    const text =
      'switch (a) {\n  default:\n    return a satisfies never\n}\nswitch (b) {\n  default:\n    b satisfies never\n}'
    expect(await describedChanges('api/a.ts', `function f(a: never, b: never) {\n${text}\n}`)).to.deep.equal([
      `1: { ${text.replace(/\s+/g, ' ')} } -> {}`,
    ])
  })
})

describe('a change', () => {
  const text = 'const a = 1\nexport const isLate = (b: number): boolean => b > a && b !== 12\n'

  const textWith = async (original: string, replacement: string): Promise<string | null> => {
    const change = (await changesOf('api/a.ts', text)).find(
      (each) => each.original === original && each.replacement === replacement,
    )
    return makeChange(text, change!)
  }

  it('replaces its place alone', async () => {
    expect(await textWith('b > a', 'b >= a')).to.equal(text.replace('b > a', 'b >= a'))
    expect(await textWith('12', '13')).to.equal(text.replace('12', '13'))
  })

  it('is not made in a text that has something else at its place', async () => {
    const [first] = await changesOf('api/a.ts', text)
    expect(makeChange(` ${text}`, first!)).to.equal(null)
  })

  it('is not made if the text would not parse: every test would notice', () => {
    const change: Change = { file: 'api/a.ts', line: 1, start: 10, end: 16, original: 'b ?? c', replacement: 'b && c' }
    expect(makeChange('const a = b ?? c ?? d', change)).to.equal(null)
  })
})
